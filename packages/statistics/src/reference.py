"""Computes each case of a list by SciPy and lifelines, and prints the numbers in the same order."""

import json
import math
import sys
import warnings

import numpy as np
import pandas as pd
from lifelines import CoxPHFitter, KaplanMeierFitter
from lifelines.statistics import multivariate_logrank_test, proportional_hazard_test
from lifelines.utils import median_survival_times
from scipy import stats

warnings.simplefilter("ignore")


def fisher(table):
    return [stats.fisher_exact(table).pvalue]


def chi_square(table):
    found = stats.chi2_contingency(table, correction=False)
    return [found.statistic, found.pvalue, found.expected_freq.min()]


def mann_whitney(groups, continuity):
    found = stats.mannwhitneyu(*groups, use_continuity=continuity)
    return [found.statistic, found.pvalue]


def kruskal(groups):
    return list(stats.kruskal(*groups))


def welch(groups):
    found = stats.ttest_ind(*groups, equal_var=False)
    interval = found.confidence_interval()
    return [found.statistic, found.df, found.pvalue, interval.low, interval.high]


def anova(groups):
    return list(stats.f_oneway(*groups))


def correlations(groups):
    line = stats.linregress(*groups)
    reach = stats.t.ppf(0.975, len(groups[0]) - 2) * line.stderr
    return [
        *stats.pearsonr(*groups),
        *stats.spearmanr(*groups),
        *[line.slope, line.intercept, line.stderr, line.pvalue],
        *[line.slope - reach, line.slope + reach],
    ]


def correlations_only(groups):
    return [*stats.pearsonr(*groups), *stats.spearmanr(*groups)]


def tails(ratio, degrees, above):
    return [2 * stats.t.sf(ratio, degrees), stats.chi2.sf(ratio * above, above), stats.f.sf(ratio, above, degrees)]


def adjusted(values):
    return list(stats.false_discovery_control(values))


def frame(subjects):
    data = pd.DataFrame(subjects)
    if "entry" not in data:
        data["entry"] = 0.0
    data["entry"] = data["entry"].fillna(0.0)
    return data


def kaplan_meier(subjects):
    data = frame(subjects)
    fitter = KaplanMeierFitter().fit(data["time"], data["isEvent"], entry=data["entry"] if data["entry"].any() else None)
    limits = fitter.confidence_interval_survival_function_
    median = [fitter.median_survival_time_, *median_survival_times(limits).iloc[0]]
    rows = [
        [fitter.survival_function_.iloc[at, 0], limits.iloc[at, 0], limits.iloc[at, 1]]
        for at, time in enumerate(fitter.survival_function_.index)
        if time > 0
    ]
    return [*median, *[value for row in rows for value in row]]


def log_rank(subjects):
    data = frame(subjects)
    found = multivariate_logrank_test(data["time"], data["group"], data["isEvent"])
    return [found.test_statistic, found.p_value]


def cox_model(subjects):
    data = frame(subjects)
    for at in range(len(subjects[0]["covariates"])):
        data[f"x{at}"] = [one["covariates"][at] for one in subjects]
    entry = {"entry_col": "entry"} if data["entry"].any() else {}
    data = data.drop(columns=["covariates"] if entry else ["covariates", "entry"])
    fitter = CoxPHFitter().fit(data, "time", "isEvent", fit_options={"precision": 1e-20, "r_precision": 1e-16}, **entry)
    return fitter, data


def cox(subjects):
    rows = cox_model(subjects)[0].summary
    return [
        value
        for at in range(len(rows))
        for value in rows.iloc[at][["coef", "se(coef)", "p", "exp(coef) lower 95%", "exp(coef) upper 95%"]]
    ]


def proportionality(subjects):
    found = proportional_hazard_test(*cox_model(subjects), time_transform="km").summary
    return [value for at in range(len(found)) for value in found.iloc[at][["test_statistic", "p"]]]


def plain(value):
    number = float(value)
    if math.isnan(number):
        return "nan"
    return number if math.isfinite(number) else "inf" if number > 0 else "-inf"


functions = {name: value for name, value in globals().items() if callable(value)}
for line in sys.stdin:
    case = json.loads(line, parse_int=lambda digits: int(digits) if len(digits) < 16 else float(digits))
    try:
        answer = [plain(value) for value in functions[case["method"]](*case["arguments"])]
    except (ValueError, np.linalg.LinAlgError):
        answer = ["nan"] * case["numbers"]
    print(json.dumps(answer), flush=True)
