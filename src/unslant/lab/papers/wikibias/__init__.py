"""Zhong et al. 2021, WIKIBIAS: a tagger, rewriters trained from scratch, recipes and figures."""
