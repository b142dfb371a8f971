"""A page is whole, escaped, and runs and loads nothing."""

from __future__ import annotations

import base64
import hashlib
import re

from unslant.lab.report.page import html_figure, html_page


def test_title_and_intro_are_escaped_and_the_body_is_kept() -> None:
    page = html_page("<b>", ["<p>", "x</p>"], intro="a & b")
    assert "<title>&lt;b&gt;</title>" in page
    assert "<h1>&lt;b&gt;</h1>" in page
    assert "a &amp; b" in page
    assert "<p>x</p>" in page


def test_the_policy_allows_the_one_stylesheet_and_nothing_else() -> None:
    page = html_page("x", [])
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in page
    assert "url(" not in style


def test_captions_are_escaped() -> None:
    assert html_figure("<svg/>", "a < b") == "<figure><svg/><figcaption>a &lt; b</figcaption></figure>\n"
