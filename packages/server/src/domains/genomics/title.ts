/** What a set is called that nobody has named: its file, without folders and the ending of its format. */
export function titleOf(fileName: string): string {
  const baseName = fileName.slice(fileName.lastIndexOf('/') + 1);
  return baseName.replace(/\.(?:bam|(?:fa|fasta|fna|ffn|fas)(?:\.(?:gz|bgz))?)$/i, '') || baseName;
}
