"""What each of `puselect.METHODS` is, in a line; quick to import."""

from typing import NamedTuple


class Description(NamedTuple):
    """What a user should know before choosing a method."""

    idea: str
    labels: str
    """What it sees of the labels: all of them, with unlabelled rows for negatives; the positives alone; or nothing."""
    speed: str
    """"instant", "seconds", "minutes" or "hours", on a few thousand rows and fifty features."""
    extra: str = ""
    """What has to be installed for it, as in ``pip install 'puselect[extra]'``."""


AS_CLASSES = "all, as classes"
POSITIVES = "the positives"

DESCRIPTIONS: dict[str, Description] = {
    "kbest": Description("chi-squared between each column and the label", AS_CLASSES, "instant"),
    "lasso": Description("weights of a linear model with an L1 penalty", AS_CLASSES, "instant"),
    "mrmr": Description("tells much about the label, repeats little", AS_CLASSES, "instant"),
    "mrmr-published": Description("mrmr on values cut to integers, as in the paper", AS_CLASSES, "instant"),
    "dt-rfe": Description("drop what a random forest needs least, repeat", AS_CLASSES, "seconds"),
    "es-mcrfs": Description("an agent learns which columns help a random forest", AS_CLASSES, "hours"),
    "lgbm-opt": Description("FSCPU's search for what helps LightGBM", AS_CLASSES, "hours", "lightgbm"),
    "mrmr-ufs": Description("one column from each group of similar columns", "nothing", "seconds"),
    "sselect": Description("smooth over neighbours, positives on one side", POSITIVES, "instant"),
    "jsfs": Description("sparse Bayes that may distrust unlabelled rows", AS_CLASSES, "seconds"),
    "semi-jmi": Description("pairs of columns that tell much about the label", AS_CLASSES, "instant"),
    "fscpu": Description("space where the positives form few clusters", POSITIVES, "seconds"),
    "fscpu-mi": Description("fscpu plus semi-jmi's mutual information", POSITIVES, "seconds"),
    "fscpu-published": Description("fscpu with every number as in the paper", POSITIVES, "hours"),
    "fscpu-mi-published": Description("fscpu-mi with every number as in the paper", POSITIVES, "hours"),
}
"""What `puselect methods` shows; docs/methods.md says more."""
