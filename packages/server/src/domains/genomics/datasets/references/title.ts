/** Returns the default name of a set: its file name without folders and format suffix. */
export function titleOf(fileName: string): string {
  const baseName = fileName.slice(fileName.lastIndexOf('/') + 1);
  return baseName.replace(/\.(?:bam|cram|(?:fa|fasta|fna|ffn|fas)(?:\.(?:gz|bgz))?)$/i, '') || baseName;
}
