import type { Connection, Target } from './connection.ts';
import { standards } from './standards.ts';

/** Address of the reads of a set over htsget. */
export const readsAddress = ({ origin, account }: Target, set: string): string =>
  `${origin}/${encodeURIComponent(account)}/v1/htsget/reads/${encodeURIComponent(set)}`;

/** Address of the variants of a file over htsget. */
export const variantsAddress = ({ origin, account }: Target, file: string): string =>
  `${origin}/${encodeURIComponent(account)}/v1/htsget/variants/${encodeURIComponent(file)}`;

/** Name of a file for clients of the Data Repository Service. */
export const drsName = ({ origin }: Target, file: string): string => `drs://${new URL(origin).host}/${file}`;

const statement = 'SELECT * FROM patient';

/** Returns every connection that the project offers. A key is never part of the lines. */
export function connectionsOf(target: Target): Connection[] {
  return [
    commandLine(target),
    python(target),
    r(target),
    ...fromFile(),
    ...genomic(target),
    ...trino(target),
    ...tables(target),
    ...standards(target),
  ];
}

function commandLine({ origin, account, project }: Target): Connection {
  return {
    id: 'cli',
    name: 'Command line',
    needs: 'Node and the package ploidy.',
    language: 'shell',
    lines: `ploidy login --address ${origin} --account ${account} --key "$PLOIDY_API_KEY"
ploidy query "${statement}" --project ${project} --save patients.parquet
ploidy query "${statement}" --project ${project} --format csv > patients.csv`,
  };
}

function python(target: Target): Connection {
  return {
    id: 'python',
    name: 'Python',
    needs: 'pandas and pyarrow. The whole result arrives as Parquet, whatever its number of rows.',
    language: 'python',
    lines: pythonProgram(target, statement),
  };
}

function r(target: Target): Connection {
  return {
    id: 'r',
    name: 'R',
    needs: 'The command line, signed in. With the package arrow: save as .parquet, and arrow::read_parquet.',
    language: 'r',
    lines: rProgram(target, statement),
  };
}

/** Texts of JSON in ASCII are also texts of Python and R. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[^ -~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Returns a program of Python that reads the whole result of a statement. */
export function pythonProgram({ origin, account, project }: Target, query: string): string {
  return `import json, os, time
from urllib.request import Request, urlopen, urlretrieve

import pandas as pd

def ask(path, body=None):
    headers = {
        "Authorization": "Bearer " + os.environ["PLOIDY_API_KEY"],
        "Service-Account": ${quoted(account)},
        "Content-Type": "application/json",
    }
    data = None if body is None else json.dumps(body).encode()
    return json.load(urlopen(Request(${quoted(origin)} + path, data, headers)))

queries = "/v1/analytics/data-lake/query"
query = ask(queries, {
    "datasetId": ${quoted(project)},
    "query": ${quoted(query)},
    "outputFileName": "connect/rows.parquet",
    "format": "parquet",
})["queryId"]
while (state := ask(f"{queries}/{query}"))["state"] == "running":
    time.sleep(0.5)
assert state["state"] == "succeeded", state
urlretrieve(ask(f"/v1/files/{query}?include=downloadUrl")["downloadUrl"], "result.parquet")
rows = pd.read_parquet("result.parquet")
print(len(rows))`;
}

/** Returns a program of R that reads the whole result of a statement by the command line. */
export function rProgram({ project }: Target, query: string): string {
  return `saved <- tempfile(fileext = ".csv")
statement <- ${quoted(query)}
status <- system2("ploidy", c("query", shQuote(statement), "--project", ${quoted(project)}, "--save", shQuote(saved)))
stopifnot(status == 0)
rows <- read.csv(saved, colClasses = "character", na.strings = "")
print(nrow(rows))`;
}

/** Programs that read what the command line has saved. */
function fromFile(): Connection[] {
  return [
    {
      id: 'duckdb',
      name: 'DuckDB',
      needs: 'The file of the command line, and the package duckdb of Python.',
      language: 'python',
      lines: `import duckdb

duckdb.sql("SELECT count(*) AS patients FROM 'patients.parquet'").show()`,
    },
  ];
}

function genomic(target: Target): Connection[] {
  const { reads, variants } = target;
  const insecure = target.origin.startsWith('https:')
    ? ''
    : `export HTS_ALLOW_UNENCRYPTED_AUTHORIZATION_HEADER="I understand the risks"\n`;
  const key = `printf %s "$PLOIDY_API_KEY" > ploidy.key && chmod 600 ploidy.key
export HTS_AUTH_LOCATION=$PWD/ploidy.key
${insecure}`;
  return [
    ...(reads === undefined
      ? []
      : [
          {
            id: 'samtools',
            name: 'samtools',
            needs: 'samtools with htsget. Add ?referenceName=chr7&start=…&end=… for a region, from 0.',
            language: 'shell' as const,
            lines: `${key}samtools view -H "${readsAddress(target, reads)}"
samtools view -c "${readsAddress(target, reads)}"`,
          },
        ]),
    ...(variants === undefined
      ? []
      : [
          {
            id: 'bcftools',
            name: 'bcftools',
            needs: 'bcftools with htsget, and a VCF packed with bgzip.',
            language: 'shell' as const,
            lines: `${key}bcftools view -H "${variantsAddress(target, variants)}"`,
          },
        ]),
    ...(reads === undefined && variants === undefined
      ? []
      : [
          {
            id: 'igv',
            name: 'IGV desktop',
            needs: 'File > Load from URL…; when asked, the key as access token.',
            language: 'text' as const,
            lines:
              reads === undefined ? variantsAddress(target, variants ?? '') : readsAddress(target, reads),
          },
        ]),
  ];
}

function trino({ origin, project }: Target): Connection[] {
  const { protocol, hostname, host, port, pathname } = new URL(origin);
  // Drivers of Trino drop the path of an address.
  if (pathname !== '/') return [];
  const isSecure = protocol === 'https:';
  const server = port === '' ? `${hostname}:${isSecure ? 443 : 80}` : host;
  const insecure = isSecure ? '' : ', allow_insecure_auth=True';
  const overTls = 'Drivers send keys over https only.';
  return [
    {
      id: 'trino-python',
      name: 'Trino, Python',
      needs: 'The package trino.',
      language: 'python',
      lines: `import os

import trino

connection = trino.dbapi.connect(
    host=${JSON.stringify(hostname)}, port=${server.split(':').at(-1)}, http_scheme=${JSON.stringify(protocol.slice(0, -1))},
    user="ploidy", catalog="ploidy", schema=${JSON.stringify(project)},
    auth=trino.auth.JWTAuthentication(os.environ["PLOIDY_API_KEY"])${insecure},
)
rows = connection.cursor().execute(${JSON.stringify(statement)}).fetchall()
print(len(rows))`,
    },
    {
      id: 'trino-cli',
      name: 'Trino command line',
      needs: `The program trino of Trino 476. ${overTls}`,
      language: 'shell',
      lines: `trino --server ${origin} --access-token "$PLOIDY_API_KEY" --catalog ploidy --schema ${project} --execute "${statement}"`,
    },
    {
      id: 'jdbc',
      name: 'JDBC: DBeaver, Metabase, Power BI',
      needs: `The JDBC driver of Trino, any user name, the key as password. ${overTls}`,
      language: 'text',
      lines: `jdbc:trino://${server}/ploidy/${project}?SSL=${isSecure}`,
    },
    {
      id: 'superset',
      name: 'Superset, SQLAlchemy',
      needs: `The package trino[sqlalchemy]; replace API_KEY. ${overTls}`,
      language: 'text',
      lines: `trino://ploidy:API_KEY@${server}/ploidy/${project}`,
    },
  ];
}

function tables({ origin, project }: Target): Connection[] {
  return [
    {
      id: 'iceberg',
      name: 'Iceberg, Python',
      needs: 'The package pyiceberg[pyarrow], and the right to all rows as they are.',
      language: 'python',
      lines: `import os

from pyiceberg.catalog import load_catalog

catalog = load_catalog("ploidy", type="rest", uri="${origin}/iceberg", token=os.environ["PLOIDY_API_KEY"])
patients = catalog.load_table(("${project}", "patient")).scan().to_arrow()
print(patients.num_rows)`,
    },
    {
      id: 'spark',
      name: 'Spark',
      needs:
        'iceberg-spark-runtime and iceberg-aws-bundle; replace API_KEY. Tables are ploidy.`project`.`table`.',
      language: 'properties',
      lines: `spark.sql.catalog.ploidy=org.apache.iceberg.spark.SparkCatalog
spark.sql.catalog.ploidy.type=rest
spark.sql.catalog.ploidy.uri=${origin}/iceberg
spark.sql.catalog.ploidy.token=API_KEY
spark.sql.catalog.ploidy.header.X-Iceberg-Access-Delegation=vended-credentials
spark.sql.catalog.ploidy.io-impl=org.apache.iceberg.aws.s3.S3FileIO
spark.sql.catalog.ploidy.client.region=us-east-1`,
    },
  ];
}
