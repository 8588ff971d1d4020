"""Ingestion, SQL, cohorts and reads."""

from __future__ import annotations

from pathlib import Path

import polars
import pyarrow.parquet
import pytest

import ploidy
from conftest import samples


def test_an_ingestion_reports_progress_and_rows(project: ploidy.Project) -> None:
    states: list[ploidy.Ingestion] = []
    file = project.upload(samples / "fhir/Patient.ndjson")
    ended = file.ingest().wait(states.append)
    assert (ended.state, ended.has_ended, states[-1]) == ("succeeded", True, ended)
    assert ended.rows > 0 and ended.bytes == ended.bytes_total == file.size
    assert [one.id for one in project.ingestions(file)] == [ended.id]
    assert project.query("SELECT count(*) AS n FROM patient").to_rows() == [{"n": 19}]


def test_a_failed_ingestion_is_a_problem_with_the_reason(project: ploidy.Project, tmp_path: Path) -> None:
    bad = tmp_path / "bad.vcf"
    bad.write_text("##fileformat=VCFv4.2\nno header\n")
    with pytest.raises(ploidy.Problem, match="bad.vcf: ") as caught:
        project.upload(bad).ingest(type="vcf").wait()
    assert caught.value.code not in ("", "INTERNAL")


def test_a_result_has_all_rows_and_leaves_no_file(filled: ploidy.Project) -> None:
    files = len(filled.files())
    sql = "SELECT a.gene, row_number() OVER () AS n FROM variant a, variant b, sequence c LIMIT 1500000"
    result = filled.query(sql)
    frame = result.to_polars()
    assert len(result) == frame.height == 1_500_000
    assert frame["n"].n_unique() == 1_500_000
    batches = [batch.num_rows for batch in filled.batches(sql)]
    assert sum(batches) == 1_500_000 and len(batches) > 1
    assert len(filled.files()) == files


def test_frames_of_all_libraries_are_equal(filled: ploidy.Project, tmp_path: Path) -> None:
    result = filled.query("SELECT * FROM copynumber ORDER BY ALL")
    pandas = result.to_pandas()
    assert result.columns == list(pandas.columns) == result.to_polars().columns
    assert polars.DataFrame(result).equals(result.to_polars())
    assert list(pandas["gene"]) == result.to_polars()["gene"].to_list()
    path = filled.save("SELECT * FROM copynumber ORDER BY ALL", tmp_path / "v.parquet")
    assert pyarrow.parquet.read_table(path).to_pylist() == result.to_rows()


def test_frames_keep_every_digit_and_type(filled: ploidy.Project) -> None:
    large = 2**53 + 1
    sql = f"""SELECT i, IF(i = 0, NULL, {large} + i) AS large, IF(i = 0, NULL, i::UTINYINT) AS small,
        IF(i = 0, NULL, i = 1) AS flag, [NULL, {large} + i] AS list, {{'a': IF(i = 0, NULL, {large})}} AS pair,
        (i / 8)::DECIMAL(18, 4) AS amount, DATE '0001-01-01' AS first, TIMESTAMPTZ '1900-01-01 00:00:00+00' AS at
        FROM range(3) t(i) ORDER BY i"""
    result = filled.query(sql)
    rows = result.to_rows()
    assert [row["large"] for row in rows] == [None, large + 1, large + 2]
    assert result.to_polars().to_dicts() == rows
    frame = result.to_pandas()
    assert [str(frame[name].dtype) for name in ("i", "large", "small")] == ["int64", "Int64", "UInt8"]
    for name in ("list", "pair"):
        assert [list(value) for value in frame[name]] == [list(row[name]) for row in rows], name
    objects = frame.astype(object).where(frame.notna(), None)
    for name in ("i", "large", "small", "flag", "amount", "first", "at"):
        assert objects[name].tolist() == [row[name] for row in rows], name


def test_a_result_without_rows_has_its_columns(filled: ploidy.Project) -> None:
    empty = filled.query("SELECT 1 AS n, 'a' AS text WHERE false")
    assert (len(empty), list(empty.to_pandas().columns), empty.to_polars().width) == (0, ["n", "text"], 2)
    assert "<p>0 rows</p>" in empty._repr_html_()


def test_a_wrong_statement_names_its_place(filled: ploidy.Project) -> None:
    with pytest.raises(ploidy.Problem, match=r"line 1, column 8.*\[INVALID_QUERY, request") as caught:
        filled.query("SELECT nothing_of_this_name FROM patient")
    assert caught.value.request_id and caught.value.details[0].path == "body/query"


def test_values_that_no_type_has_are_a_problem_of_the_statement(filled: ploidy.Project) -> None:
    with pytest.raises(ploidy.Problem) as caught:
        filled.query("SELECT CAST(patient_id AS INTEGER) FROM patient")
    assert caught.value.code == "QUERY_SQL"


def test_a_cohort_counts_and_lists_its_patients(filled: ploidy.Project) -> None:
    women = [
        row["patient_id"]
        for row in filled.query("SELECT patient_id FROM demographic WHERE gender = 'female'").to_rows()
    ]
    cohort = filled.create_cohort("Women", sql="SELECT patient_id FROM demographic WHERE gender = 'female'")
    assert cohort.count == len(women) > 0
    assert cohort.patients() == sorted(women)
    joined = cohort.query(
        "SELECT count(DISTINCT patient_id) AS n FROM patient JOIN members USING (patient_id)"
    )
    assert joined.to_rows() == [{"n": len(women)}]
    assert [one.name for one in filled.cohorts()] == ["Women"]
    assert cohort.rename("Female").refresh().name == "Female"
    cohort.delete()
    assert filled.cohorts() == []


def test_a_cohort_needs_patients(filled: ploidy.Project) -> None:
    with pytest.raises(ploidy.Problem, match="sql, dsl or patients"):
        filled.create_cohort("Empty")


def test_reads_open_in_pysam_as_the_file_has_them(filled: ploidy.Project, tmp_path: Path) -> None:
    import pysam

    (reads,) = filled.reads("SYN0001")
    assert (reads.state, reads.format, filled.reads("none")) == ("active", "BAM", [])
    with pysam.AlignmentFile(str(samples / "bam/SYN0001.bam")) as local:
        expected = [read.query_name for read in local.fetch(until_eof=True)]
    with reads.open() as remote:
        assert [read.query_name for read in remote.fetch(until_eof=True)] == expected
    with reads.open("chr7:140,753,000-140,754,000") as region:
        names = [read.query_name for read in region.fetch(until_eof=True)]
    assert 0 < len(names) < len(expected) and set(names) <= set(expected)
    with pysam.AlignmentFile(str(reads.save(tmp_path / "reads.bam"))) as saved:
        assert [read.query_name for read in saved.fetch(until_eof=True)] == expected


def test_a_region_without_an_end_reaches_to_that_of_its_sequence(filled: ploidy.Project) -> None:
    (reads,) = filled.reads("SYN0001")
    counts = []
    for region in ("chr7:140,753,000", "chr7:140,753,000-", "chr7:140,753,000-999,999,999"):
        with reads.open(region) as opened:
            counts.append(sum(1 for _ in opened.fetch(until_eof=True)))
    assert counts[0] > 0 and len(set(counts)) == 1


def test_a_cram_opens_with_its_reference(project: ploidy.Project, tmp_path: Path) -> None:
    import pysam

    fasta, cram = tmp_path / "genome.fa", tmp_path / "a.cram"
    fasta.write_text(f">chrA\n{'ACGT' * 500}\n")
    header = {"HD": {"VN": "1.6", "SO": "coordinate"}, "SQ": [{"SN": "chrA", "LN": 2000}]}
    read = pysam.AlignedSegment(pysam.AlignmentHeader.from_dict(header))
    read.query_name, read.query_sequence, read.cigarstring = "r", "ACGT" * 5, "20M"
    read.reference_id, read.reference_start, read.flag = 0, 40, 0
    with pysam.AlignmentFile(str(cram), "wc", header=header, reference_filename=str(fasta)) as written:
        written.write(read)
    project.upload(cram).ingest().wait()
    moved = fasta.rename(tmp_path / "moved.fa")
    (reads,) = project.reads()
    with reads.open(reference=moved) as opened:
        assert [one.query_sequence for one in opened.fetch(until_eof=True)] == ["ACGT" * 5]
    with pytest.raises(ploidy.Problem, match="is not a file"):
        reads.open(reference=fasta)


def test_variants_open_in_pysam(filled: ploidy.Project) -> None:
    with filled.file("vcf/SYN0013-SYN0020.vcf.gz").open_variants() as variants:
        assert list(variants.header.samples)[:2] == ["SYN0013", "SYN0014"]
        assert sum(1 for _ in variants) > 100


@pytest.mark.parametrize("region", ["\n", "chr7:0-5", "chr7:9-5"])
def test_a_wrong_region_is_a_problem(filled: ploidy.Project, region: str) -> None:
    with pytest.raises(ploidy.Problem, match="region"):
        filled.reads()[0].open(region)


def test_a_sequence_that_the_file_lacks_is_a_problem(filled: ploidy.Project) -> None:
    with pytest.raises(ploidy.Problem, match="no sequence of this name"):
        filled.reads()[0].open("chrNOPE:1-5")


def test_tables_are_listed_with_their_columns(filled: ploidy.Project) -> None:
    tables = {table.name: table.columns for table in filled.tables()}
    assert {"patient", "variant", "gene", "copynumber"} <= tables.keys()
    assert "amino_acid_change" in tables["variant"]
