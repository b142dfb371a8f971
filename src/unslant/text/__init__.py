"""Reading text: formats, sentences, quotations, alignment."""
