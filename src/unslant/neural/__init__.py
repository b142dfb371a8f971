"""The model at run time: it runs the network and decodes its logits into findings and edits."""
