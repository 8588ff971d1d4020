/**
 * Elements of the data types of R4, a type a line, in the notation of `elements.ts`.
 * Source: the definitions of HL7 FHIR R4 (4.0.1), public domain (CC0).
 */
export const dataTypes = `
Address use^:code type^:code text^:string line*^:string city^:string district^:string state^:string postalCode^:string country^:string period^:Period
Age value^:decimal comparator^:code unit^:string system^:uri code^:code
Annotation author^~Reference|string time^:dateTime text!^:markdown
Attachment contentType^:code language^:code data:base64Binary url^:url size^:unsignedInt hash^:base64Binary title^:string creation^:dateTime
CodeableConcept coding*^:Coding text^:string
Coding system^:uri version^:string code^:code display^:string userSelected^:boolean
ContactDetail name^:string telecom*^:ContactPoint
ContactPoint system^:code value^:string use^:code rank^:positiveInt period^:Period
Contributor type!^:code name!^:string contact*^:ContactDetail
Count value^:decimal comparator^:code unit^:string system^:uri code^:code
DataRequirement type!^:code profile*^:canonical subject^~CodeableConcept|Reference mustSupport*^:string codeFilter*^(path^:string searchParam^:string valueSet^:canonical code*^:Coding) dateFilter*^(path^:string searchParam^:string value^~dateTime|Period|Duration) limit^:positiveInt sort*^(path!^:string direction!^:code)
Distance value^:decimal comparator^:code unit^:string system^:uri code^:code
Dosage sequence^:integer text^:string additionalInstruction*^:CodeableConcept patientInstruction^:string timing^:Timing asNeeded^~boolean|CodeableConcept site^:CodeableConcept route^:CodeableConcept method^:CodeableConcept doseAndRate*^(type^:CodeableConcept dose^~Range|Quantity rate^~Ratio|Range|Quantity) maxDosePerPeriod^:Ratio maxDosePerAdministration^:Quantity maxDosePerLifetime^:Quantity
Duration value^:decimal comparator^:code unit^:string system^:uri code^:code
Expression description^:string name^:id language!^:code expression^:string reference^:uri
Extension url!:string value~*
HumanName use^:code text^:string family^:string given*^:string prefix*^:string suffix*^:string period^:Period
Identifier use^:code type^:CodeableConcept system^:uri value^:string period^:Period assigner^:Reference
Meta versionId^:id lastUpdated^:instant source^:uri profile*^:canonical security*^:Coding tag*^:Coding
Money value^:decimal currency^:code
Narrative status!:code div!:xhtml
ParameterDefinition name^:code use!^:code min^:integer max^:string documentation^:string type!^:code profile^:canonical
Period start^:dateTime end^:dateTime
Quantity value^:decimal comparator^:code unit^:string system^:uri code^:code
Range low^:Quantity high^:Quantity
Ratio numerator^:Quantity denominator^:Quantity
Reference reference^:string type^:uri identifier^:Identifier display^:string
RelatedArtifact type!^:code label^:string display^:string citation^:markdown url^:url document^:Attachment resource^:canonical
SampledData origin!^:Quantity period!^:decimal factor^:decimal lowerLimit^:decimal upperLimit^:decimal dimensions!^:positiveInt data:string
Signature type*!^:Coding when!^:instant who!^:Reference onBehalfOf^:Reference targetFormat:code sigFormat:code data:base64Binary
Timing event*^:dateTime repeat^(bounds^~Duration|Range|Period count^:positiveInt countMax^:positiveInt duration^:decimal durationMax^:decimal durationUnit^:code frequency^:positiveInt frequencyMax^:positiveInt period^:decimal periodMax^:decimal periodUnit^:code dayOfWeek*^:code timeOfDay*^:time when*^:code offset^:unsignedInt) code^:CodeableConcept
TriggerDefinition type!^:code name^:string timing^~Timing|Reference|date|dateTime data*^:DataRequirement condition^:Expression
UsageContext code!^:Coding value!^~CodeableConcept|Quantity|Range|Reference
`;

/** Types of a value that may have any type, as that of an extension. */
export const openTypes =
  'base64Binary boolean canonical code date dateTime decimal id instant integer markdown oid positiveInt string time unsignedInt uri url uuid Address Age Annotation Attachment CodeableConcept Coding ContactPoint Count Distance Duration HumanName Identifier Money Period Quantity Range Ratio Reference SampledData Signature Timing ContactDetail Contributor DataRequirement Expression ParameterDefinition RelatedArtifact TriggerDefinition UsageContext Dosage Meta';
