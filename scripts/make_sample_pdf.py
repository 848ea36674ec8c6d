"""Build the sample PDF from its Markdown source.

    python scripts/make_sample_pdf.py

Reads ``data/sample/pdf_source.md`` and writes
``data/sample/documents/continuity-plan.pdf``. The output is deterministic:
the same source and the same version of reportlab give the same bytes.
Needs ``reportlab``.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from xml.sax.saxutils import escape

from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate
from reportlab.platypus.doctemplate import BaseDocTemplate

SAMPLE = Path(__file__).resolve().parent.parent / "data" / "sample"
SOURCE = SAMPLE / "pdf_source.md"
TARGET = SAMPLE / "documents" / "continuity-plan.pdf"

AUTHOR = "Halyard Lines"

STYLES = {
    0: ParagraphStyle("body", fontName="Times-Roman", fontSize=11.5, leading=16, alignment=TA_JUSTIFY, spaceAfter=8),
    1: ParagraphStyle("title", fontName="Helvetica-Bold", fontSize=22, leading=28, spaceAfter=14),
    2: ParagraphStyle("heading", fontName="Helvetica-Bold", fontSize=15, leading=20, spaceBefore=12, spaceAfter=6, keepWithNext=True),
    3: ParagraphStyle("subheading", fontName="Helvetica-Bold", fontSize=12, leading=16, spaceBefore=6, spaceAfter=4, keepWithNext=True),
}

HEADING = re.compile(r"^(#{1,3}) +(.+)$")


def read_blocks(text: str) -> list[tuple[int, str]]:
    """Split the source into (level, text) blocks; level 0 is a paragraph."""
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        line = " ".join(block.split())
        heading = HEADING.match(line)
        if heading:
            blocks.append((len(heading.group(1)), heading.group(2)))
        else:
            blocks.append((0, line))
    return blocks


def build(source: Path, target: Path) -> None:
    """Typeset ``source`` and write the PDF to ``target``."""
    blocks = read_blocks(source.read_text(encoding="utf-8"))
    title = next(text for level, text in blocks if level == 1)

    def draw_footer(canvas: Canvas, document: BaseDocTemplate) -> None:
        canvas.saveState()
        canvas.setFont("Helvetica", 8)
        canvas.drawString(25 * mm, 14 * mm, title)
        canvas.drawRightString(A4[0] - 25 * mm, 14 * mm, f"Page {document.page}")
        canvas.restoreState()

    document = SimpleDocTemplate(
        str(target),
        pagesize=A4,
        invariant=1,
        title=title,
        author=AUTHOR,
        leftMargin=25 * mm,
        rightMargin=25 * mm,
        topMargin=25 * mm,
        bottomMargin=25 * mm,
    )
    story = [Paragraph(escape(text), STYLES[level]) for level, text in blocks]
    document.build(story, onFirstPage=draw_footer, onLaterPages=draw_footer)


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the sample PDF.")
    parser.add_argument("--source", type=Path, default=SOURCE)
    parser.add_argument("--target", type=Path, default=TARGET)
    arguments = parser.parse_args()
    build(arguments.source, arguments.target)


if __name__ == "__main__":
    main()
