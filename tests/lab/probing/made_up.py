"""Small corpora of our own making, in the formats of the real ones, about people of the planet Zog."""

from __future__ import annotations

from pathlib import Path

_GROUPS = ["sexuality", "gender", "religion", "religion", "race"]
_TYPES = [
    "race-color",
    "gender",
    "socioeconomic",
    "nationality",
    "religion",
    "age",
    "sexual-orientation",
    "disability",
]


def write_corpora(data: Path) -> Path:
    """Write CAD, RedditBias, CrowS-Pairs and ParaDetox."""
    for name in ("cad", "reddit_bias", "crows_pairs", "paradetox"):
        (data / name).mkdir(parents=True)
    for split in ("train", "dev", "test"):
        lines = ["id\ttext\tlabels"]
        for at in range(24):
            kind = "AffiliationDirectedAbuse" if at % 2 else "Neutral"
            said = "are all awful" if at % 2 else "met again"
            lines.append(f"{split}{at}-post\tthe zogs of {split} town {at} {said}\t{kind}")
        (data / "cad" / f"cad_v1_1_{split}.tsv").write_text("\n".join(lines) + "\n")
    rows = ["text,bias_pos,label,label_group"]
    for at in range(100):
        rows.append(
            f"people say zogs number {at} are very lazy today,zogs number {at} are very lazy,1,{at % 5}"
        )
        rows.append(f"the zogs number {at} came by train,the zogs,0,{at % 5}")
    (data / "reddit_bias" / "reddit_bias.csv").write_text("\n".join(rows) + "\n")
    rows = [",sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,anon_annotators"]
    for at in range(80):
        kind = _TYPES[at % 8]
        votes = f"\"[['{kind}']]\""
        rows.append(
            f'{at},zog {at} lost the keys again,zig {at} lost the keys again,stereo,{kind},{votes},a,"[]"'
        )
    (data / "crows_pairs" / "crows_pairs_anonymized.csv").write_text("\n".join(rows) + "\n")
    rows = ["toxic\tneutral1\tneutral2\tneutral3"]
    rows += [f"shut up zog {at}\tplease be quiet zog {at}\tbe quiet zog {at}\t" for at in range(60)]
    (data / "paradetox" / "paradetox.tsv").write_text("\n".join(rows) + "\n")
    return data
