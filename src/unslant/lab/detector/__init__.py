"""Training: one small encoder with several heads, from recipes that are plain data.

Needs the extra ``train``. Nothing here is imported by ``unslant check``.
"""
