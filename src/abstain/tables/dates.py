"""Which text is a date, in the languages of those who are likely to write one?"""

from __future__ import annotations  # signatures then show the names of types

import polars as pl

__all__ = [
    "are_dates",
]

_DATE = (
    r"^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2}))"
    r"([ T]\d{1,2}:\d{2}.*)?$"
)
# English, German, French, Spanish and Italian.
_MONTH = (
    r"(jan(uary|uar|v|vier)?|ene(ro)?|gen(naio)?|feb(ruary|ruar|rero|braio)?|f[eé]vr?(ier)?"
    r"|mar(ch|s|zo)?|märz?|mrz|apr(il|ile)?|a[bv]r(il)?|may|mayo|mai|mag(gio)?"
    r"|jun[ei]?|junio|juin|giu(gno)?|jul[iy]?|julio|juil(let)?|lug(lio)?|aug(ust)?|ago(sto)?|ao[uû]t"
    r"|sept?(ember|embre|iembre|tembre)?|set(tembre)?|o[ck]t(ober|obre|ubre)?|ott(obre)?"
    r"|nov(ember|embre|iembre)?|de[cz](ember)?|d[eé]c(embre)?|dic(embre|iembre)?)\.?"
)
_TIME = r"([ T,]+\d{1,2}:\d{2}.*)?$"
# 3 May 2024, 3.-Mai-24; May 3rd, 2024; May 2024; 2024-May-3
_DATE_WITH_MONTH = (
    r"(?i)^([^\W\d]{2,10}\.?,? +)?("
    rf"\d{{1,2}}(st|nd|rd|th|\.)?[ ./-]*(de |of )?{_MONTH}[ .,/-]*(de )?(\d{{4}}|'?\d{{2}})"
    rf"|{_MONTH}[ .-]*\d{{1,2}}(st|nd|rd|th)?,?[ ,/-]+(\d{{4}}|'?\d{{2}})"
    rf"|{_MONTH}[ .,/-]*(\d{{4}}|'\d{{2}})"
    rf"|\d{{4}}[ ./-]*{_MONTH}([ ./-]*\d{{1,2}})?"
    rf"){_TIME}"
)


def are_dates(text: pl.Series) -> pl.Series:
    """Tell which texts are dates, perhaps with a time."""
    return text.str.contains(_DATE) | text.str.contains(_DATE_WITH_MONTH)
