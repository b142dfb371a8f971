"""LaTeX: which words are read, and how they are grouped."""

from __future__ import annotations

import pytest

from tests.text.readers.reading import blocks, comments, quoted, words


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        (
            "\\documentclass{article}\n\\usepackage{x}\n\\begin{document}\nThe text.\n\\end{document}\nno",
            "The text.",
        ),
        ("\\title{The \\emph{title}}\n\\author{no}\n\\begin{document}\nThe text.", "The title The text."),
        ("% \\title{no}\n\\begin{document}\nThe text.", "The text."),
        ("D\\'{e}j\\`a vu, na\\\"ive, gar\\c{c}on, yes.", "vu, , , yes."),
        ("The \\emph{bold} and \\textbf{strong} words.", "The bold and strong words."),
        ("{\\em The text} goes on.", "The text goes on."),
        ("The vote\\footnote{It was close.} ended.", "The vote It was close. ended."),
        ("As \\cite{smith} and \\citep[p.~3]{doe} say.", "As and say."),
        ("See \\ref{fig:a} and \\autoref{fig:b}.", "See and ."),
        ("See \\url{https://example.org/a_b} now.", "See now."),
        ("See \\href{https://example.org}{the page} now.", "See the page now."),
        ("The \\textcolor{red}{red words} end.", "The red words end."),
        ("The $a + b$ and \\(c\\) end.", "The and end."),
        ("The \\[ a + b \\] end.", "The end."),
        ("The $$a$$ end.", "The end."),
        ("It cost \\$5 and 3\\% more.", "It cost $5 and 3 % more."),
        ("Smith \\& Sons left.", "Smith & Sons left."),
        ("p.~5 and Dr.~Doe", "p. 5 and Dr. Doe"),
        ("The \\verb|no no| end.", "The end."),
        ("The \\texttt{no} end.", "The end."),
        ("One line\\\\another line.", "One line another line."),
        ("\\label{sec:a}The text\\index{no}.", "The text ."),
        ("\\includegraphics[width=3cm]{boat.png}The text.", "The text."),
        ("\\newcommand{\\foo}{no}The text.", "The text."),
        ("\\vspace{1cm}The text.", "The text."),
        ("\\LaTeX{} is old.", "is old."),
        ("The \\unknown{words} stay.", "The words stay."),
        ("50\\,000 people", "50 000 people"),
    ],
)
def test_what_is_read(source: str, visible: str) -> None:
    assert words("latex", source) == visible


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("\\begin{equation}\nno\n\\end{equation}\nyes", "yes"),
        ("\\begin{align*}\nno\n\\end{align*}\nyes", "yes"),
        ("\\begin{verbatim}\nno\n\\end{verbatim}\nyes", "yes"),
        ("\\begin{lstlisting}[language=C]\nno\n\\end{lstlisting}\nyes", "yes"),
        ("\\begin{tikzpicture}no\\end{tikzpicture}yes", "yes"),
        ("\\begin{thebibliography}{9}\n\\bibitem{a} no\n\\end{thebibliography}\nyes", "yes"),
        ("\\begin{abstract}\nyes\n\\end{abstract}", "yes"),
        ("\\begin{figure}[ht]\n\\caption{yes}\n\\end{figure}", "yes"),
        ("\\begin{center}yes\\end{center}", "yes"),
        ("\\begin{tabular}[t]{l|r}yes & yes\\end{tabular}", "yes yes"),
        ("\\begin{tabularx}{\\linewidth}{lX}yes\\end{tabularx}", "yes"),
        ("\\begin{minipage}{3cm}yes\\end{minipage}", "yes"),
    ],
)
def test_environments(source: str, visible: str) -> None:
    assert words("latex", source) == visible


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("\\section{Head}\nThe text.", ["Head", "The text."]),
        ("\\section*{Head}\nThe text.", ["Head", "The text."]),
        ("\\section[Short]{The head}\nThe text.", ["The head", "The text."]),
        ("\\chapter{A \\emph{new} deal}Text", ["A new deal", "Text"]),
        ("\\begin{itemize}\n\\item One\n\\item[b] Two\n\\end{itemize}", ["One", "Two"]),
        ("First line\nsecond line.\n\nThird.", ["First line second line.", "Third."]),
        ("One.\\par Two.", ["One.", "Two."]),
        ("\\title{The title}\\maketitle Text", ["The title", "Text"]),
    ],
)
def test_blocks(source: str, expected: list[str]) -> None:
    assert blocks("latex", source) == expected


@pytest.mark.parametrize(
    ("source", "quotation"),
    [
        ("\\begin{quote}Theirs.\\end{quote} Ours.", ["Theirs."]),
        ("\\begin{quotation}Theirs.\\end{quotation} Ours.", ["Theirs."]),
        ("He \\enquote{said so} twice.", ["said so"]),
        ("He ``said so'' twice.", ["``said so''"]),
        ("He ``said so\n\nand'' twice.", []),
        ("\\begin{quote}Never closed.", ["Never closed."]),
    ],
)
def test_quotations(source: str, quotation: list[str]) -> None:
    assert quoted("latex", source) == quotation


def test_comments_and_percent_signs() -> None:
    source = "yes % no\nyes 3\\% yes\n%% no"
    assert words("latex", source) == "yes yes 3 % yes"
    assert comments("latex", source) == ["% no", "%% no"]


def test_a_comment_in_the_preamble_is_still_a_comment() -> None:
    source = "% unslant: ignore-file framing -- an archive\n\\begin{document}\nText.\n\\end{document}"
    assert comments("latex", source) == ["% unslant: ignore-file framing -- an archive"]


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("\\section{References}\nno\n\\section{Next}\nyes", "References Next yes"),
        ("\\section{References}\nno\n\\subsection{no}\nno", "References"),
    ],
)
def test_reference_lists(source: str, visible: str) -> None:
    assert words("latex", source) == visible


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("The price is $5 and it rose.", "The price is $5 and it rose."),
        ("The \\emph{never closed text.", "The never closed text."),
        ("A \\begin{equation} without an end.", "A without an end."),
        ("A backslash \\", "A backslash \\"),
        ("The \\verb|never closed", "The \\verb|never closed"),
        ("The \\(never closed", "The \\(never closed"),
    ],
)
def test_what_is_never_closed_hides_nothing_but_its_mark(source: str, visible: str) -> None:
    assert words("latex", source) == visible
