"""How far annotators agree, beyond chance, with intervals."""

from __future__ import annotations

from unslant.lab.corpora.agreement.alpha import alpha
from unslant.lab.corpora.agreement.kappa import cohen_kappa, fleiss_kappa, percent_agreement
from unslant.lab.corpora.agreement.ratings import Ratings, Scale
from unslant.lab.corpora.agreement.report import AgreementReport, agreement
from unslant.lab.corpora.agreement.spans import alignment_agreement, span_agreement
from unslant.lab.stats.bootstrap import Estimate, Resampling

__all__ = [
    "AgreementReport",
    "Estimate",
    "Ratings",
    "Resampling",
    "Scale",
    "agreement",
    "alignment_agreement",
    "alpha",
    "cohen_kappa",
    "fleiss_kappa",
    "percent_agreement",
    "span_agreement",
]
