"""A page is whole, escaped, and runs and loads nothing."""

from __future__ import annotations

import base64
import hashlib
import re
import xml.etree.ElementTree as ET

from unslant.lab.report.page import html_figure, html_page
from unslant.report.svg import Svg


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


NAMESPACE = "{http://www.w3.org/2000/svg}"


def test_shapes_have_their_places_attributes_and_tooltips() -> None:
    svg = Svg(100, 50, "a < b", top=-2)
    svg.rect(1.25, 2, 10.5, 4, title="<bar>", css="c0", fill_opacity=0.5, stroke=None)
    svg.circle(5, 6, 2.6)
    svg.polyline([(0, 0), (1.239, 2)], css="mark")
    svg.diamond(10, 10, 5, css="published")
    svg.text(3, 4, "x & y", text_anchor="end")
    root = ET.fromstring(svg.render())  # noqa: S314 - our own
    assert root.attrib["viewBox"] == "0 -2 100 50"
    title, rect, circle, polyline, diamond, text = root
    assert title.text == "a < b"
    assert rect.attrib == {
        "x": "1.25",
        "y": "2",
        "width": "10.5",
        "height": "4",
        "class": "c0",
        "fill-opacity": "0.5",
    }
    assert rect[0].text == "<bar>"
    assert circle.attrib == {"cx": "5", "cy": "6", "r": "2.6"}
    assert polyline.attrib["points"] == "0,0 1.24,2"
    assert diamond.attrib["points"] == "10,5 14,10 10,15 6,10"
    assert text.tag == f"{NAMESPACE}text"
    assert (text.text, text.attrib["text-anchor"]) == ("x & y", "end")


def test_the_height_may_be_known_last() -> None:
    svg = Svg(10, 0, "grows")
    svg.height = 42
    assert 'height="42"' in svg.render()
