"""The user's files: finding and reading them, what changed in them, what was accepted or seen before.

``discover`` goes from command-line arguments to files, ``load`` from bytes to text, ``changes`` asks git what
a change introduced, ``baseline`` keeps the findings that were accepted, ``cache`` the reports of texts that
did not change.
"""
