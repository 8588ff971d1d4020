"""Client of Ploidy, a self-hosted precision-health data service."""

from importlib.metadata import version

from .client import Client, connect, login
from .cohorts import Cohort
from .display import Listing
from .files import File
from .ingestions import Ingestion
from .problem import Detail, Problem
from .project import Project, Synced, Table
from .reads import Reads
from .results import Result

__version__ = version("ploidy")
__all__ = [
    "Client",
    "Cohort",
    "Detail",
    "File",
    "Ingestion",
    "Listing",
    "Problem",
    "Project",
    "Reads",
    "Result",
    "Synced",
    "Table",
    "connect",
    "login",
]
