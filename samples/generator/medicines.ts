/** A medicine (RxNorm ingredient) and how it is usually taken. */
export interface Medicine {
  code: string;
  display: string;
  dose: number;
  unit: string;
  /** `oral` or into a vein. */
  route: 'oral' | 'intravenous';
  frequency: number;
  period: number;
  periodUnit: 'd' | 'wk';
  asNeeded: boolean;
}

/** name · RxNorm · dose unit · route · times per period · `as needed` */
const lines = `
vemurafenib 1147220 960 mg oral 2 1 d
dabrafenib 1424911 150 mg oral 2 1 d
trametinib 1425099 2 mg oral 1 1 d
cobimetinib 1722365 60 mg oral 1 1 d
encorafenib 2049106 300 mg oral 1 1 d
osimertinib 1721560 80 mg oral 1 1 d
gefitinib 328134 250 mg oral 1 1 d
olaparib 1597582 300 mg oral 2 1 d
imatinib 282388 400 mg oral 1 1 d
ponatinib 1364347 45 mg oral 1 1 d
ruxolitinib 1193326 10 mg oral 2 1 d
ivacaftor 1243041 150 mg oral 2 1 d
metformin 6809 850 mg oral 2 1 d
lisinopril 29046 10 mg oral 1 1 d
atorvastatin 83367 40 mg oral 1 1 d
apixaban 1364430 5 mg oral 2 1 d
trastuzumab 224905 6 mg/kg intravenous 1 3 wk
bevacizumab 253337 5 mg/kg intravenous 1 2 wk
cetuximab 318341 500 mg/m2 intravenous 1 2 wk
pembrolizumab 1547545 200 mg intravenous 1 3 wk
nivolumab 1597876 240 mg intravenous 1 2 wk
ipilimumab 1094833 3 mg/kg intravenous 1 3 wk
carboplatin 40048 400 mg/m2 intravenous 1 4 wk
paclitaxel 56946 175 mg/m2 intravenous 1 3 wk
oxaliplatin 32592 85 mg/m2 intravenous 1 2 wk
ondansetron 26225 8 mg oral 2 1 d as-needed
acetaminophen 161 500 mg oral 4 1 d as-needed`;

function parse(line: string): [string, Medicine] {
  const [display = '', code = '', dose, unit = '', route, frequency, period, periodUnit, asNeeded] =
    line.split(' ');
  const how = { frequency: Number(frequency), period: Number(period), asNeeded: asNeeded === 'as-needed' };
  return [
    display,
    {
      code,
      display,
      dose: Number(dose),
      unit,
      route: route === 'oral' ? 'oral' : 'intravenous',
      periodUnit: periodUnit === 'wk' ? 'wk' : 'd',
      ...how,
    },
  ];
}

const medicines = new Map(lines.trim().split('\n').map(parse));

/** Returns the medicine of that name. */
export function medicineOf(name: string): Medicine {
  const medicine = medicines.get(name);
  if (medicine === undefined) throw new RangeError(`No medicine ${name} in the table of the generator`);
  return medicine;
}
