"""The user's files: finding, reading, checking and fixing them.

``discover`` turns command-line arguments into files, ``files`` bytes into text, and ``plan`` files into jobs with
their settings, which ``run`` checks or fixes. ``changes`` asks git what a change introduced, ``baseline`` stores
accepted findings, and ``cache`` the reports of unchanged texts.
"""
