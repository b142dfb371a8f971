"""Zhong et al. 2021, WIKIBIAS: taggers, rewriters trained from scratch, and recipes."""
