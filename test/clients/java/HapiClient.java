import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.rest.api.SearchStyleEnum;
import ca.uhn.fhir.rest.api.SearchTotalModeEnum;
import ca.uhn.fhir.rest.api.SummaryEnum;
import ca.uhn.fhir.rest.client.api.IGenericClient;
import ca.uhn.fhir.rest.client.interceptor.BearerTokenAuthInterceptor;
import ca.uhn.fhir.rest.server.exceptions.BaseServerResponseException;
import ca.uhn.fhir.rest.server.exceptions.InvalidRequestException;
import ca.uhn.fhir.rest.server.exceptions.MethodNotAllowedException;
import ca.uhn.fhir.rest.server.exceptions.NotModifiedException;
import ca.uhn.fhir.rest.server.exceptions.ResourceNotFoundException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.hl7.fhir.r4.model.Bundle;
import org.hl7.fhir.r4.model.CapabilityStatement;
import org.hl7.fhir.r4.model.Condition;
import org.hl7.fhir.r4.model.IdType;
import org.hl7.fhir.r4.model.Observation;
import org.hl7.fhir.r4.model.OperationOutcome;
import org.hl7.fhir.r4.model.Parameters;
import org.hl7.fhir.r4.model.Patient;

/** Reads a project with the client of HAPI FHIR, unmodified: prints the ids of patients. BASE and KEY are in the environment. */
public class HapiClient {
  private static final FhirContext context = FhirContext.forR4();
  private static IGenericClient client;

  public static void main(String[] arguments) {
    context.getRestfulClientFactory().setSocketTimeout(60_000);
    client = context.newRestfulGenericClient(System.getenv("BASE"));
    client.registerInterceptor(new BearerTokenAuthInterceptor(System.getenv("KEY")));
    CapabilityStatement statement = client.capabilities().ofType(CapabilityStatement.class).execute();
    check(statement.getFhirVersion().toCode().equals("4.0.1"), "version");
    List<String> patients = patients();
    read(patients.get(0));
    search(patients.get(0));
    refuse();
    System.out.println(String.join("\n", patients));
  }

  private static List<String> patients() {
    List<String> ids = new ArrayList<>();
    Bundle page = client.search().forResource(Patient.class).count(3).returnBundle(Bundle.class)
        .where(Patient.GENDER.exactly().codes("female", "male")).execute();
    while (page != null) {
      for (Bundle.BundleEntryComponent entry : page.getEntry()) {
        if (entry.getResource() instanceof Patient) ids.add(entry.getResource().getIdElement().getIdPart());
      }
      page = page.getLink(Bundle.LINK_NEXT) == null ? null : client.loadPage().next(page).execute();
    }
    Collections.sort(ids);
    return ids;
  }

  private static void read(String id) {
    Patient patient = client.read().resource(Patient.class).withId(id).execute();
    check(patient.getIdElement().getIdPart().equals(id), "read");
    String version = patient.getMeta().getVersionId();
    if (version != null) {
      IdType versioned = new IdType("Patient", id, version);
      check(client.read().resource(Patient.class).withIdAndVersion(id, version).execute().getId() != null, "vread " + versioned);
      try {
        client.read().resource(Patient.class).withId(id).ifVersionMatches(version).throwNotModifiedException().execute();
        check(false, "a known version is sent again");
      } catch (NotModifiedException known) {
        check(known.getStatusCode() == 304, "known version");
      }
    }
    Bundle history = client.history().onInstance(new IdType("Patient", id)).returnBundle(Bundle.class).execute();
    check(history.getEntry().size() == 1, "history");
    Bundle all = client.operation().onInstance(new IdType("Patient", id)).named("$everything")
        .withNoParameters(Parameters.class).useHttpGet().returnResourceType(Bundle.class).execute();
    check(all.getEntry().size() > 1, "everything");
  }

  private static void search(String id) {
    Bundle conditions = client.search().forResource(Condition.class).where(Condition.PATIENT.hasId(id))
        .include(Condition.INCLUDE_PATIENT).sort().descending(Condition.RECORDED_DATE).count(500)
        .totalMode(SearchTotalModeEnum.ACCURATE).returnBundle(Bundle.class).execute();
    long matches = conditions.getEntry().stream().filter(entry -> entry.getResource() instanceof Condition).count();
    long included = conditions.getEntry().stream().filter(entry -> entry.getResource() instanceof Patient).count();
    check(matches == conditions.getTotal() && included == (matches > 0 ? 1 : 0), "conditions " + matches + ", " + included);
    Bundle byForm = client.search().forResource(Condition.class).where(Condition.PATIENT.hasId("Patient/" + id)).count(500)
        .usingStyle(SearchStyleEnum.POST).returnBundle(Bundle.class).execute();
    check(byForm.getEntry().size() == matches, "form");
    Bundle counted = client.search().forResource(Condition.class).where(Condition.PATIENT.hasId(id))
        .summaryMode(SummaryEnum.COUNT).returnBundle(Bundle.class).execute();
    check(counted.getTotal() == matches && counted.getEntry().isEmpty(), "count");
    Bundle born = client.search().forResource(Patient.class).where(Patient.BIRTHDATE.after().day("1900-01-01"))
        .and(Patient.RES_ID.exactly().code(id)).revInclude(Observation.INCLUDE_PATIENT).elementsSubset("gender")
        .count(1).returnBundle(Bundle.class).execute();
    check(born.getEntryFirstRep().getResource().getIdElement().getIdPart().equals(id), "birth date");
    Bundle chained = client.search().forResource(Condition.class).count(500)
        .where(Condition.PATIENT.hasChainedProperty(Patient.RES_ID.exactly().code(id))).returnBundle(Bundle.class).execute();
    check(chained.getEntry().size() == matches, "chain");
    Bundle having = client.search().byUrl("Patient?_has:Condition:patient:_id=" + firstOf(conditions)).returnBundle(Bundle.class).execute();
    check(having.getEntryFirstRep().getResource().getIdElement().getIdPart().equals(id), "reverse chain");
  }

  private static String firstOf(Bundle bundle) {
    return bundle.getEntryFirstRep().getResource().getIdElement().getIdPart();
  }

  private static void refuse() {
    refused(ResourceNotFoundException.class, () -> client.read().resource(Patient.class).withId("nobody").execute());
    refused(InvalidRequestException.class, () -> client.search().byUrl("Patient?favourite=blue").returnBundle(Bundle.class).execute());
    refused(MethodNotAllowedException.class, () -> client.create().resource(new Patient()).execute());
    refused(MethodNotAllowedException.class, () -> client.delete().resourceById("Patient", "nobody").execute());
  }

  private static void refused(Class<? extends BaseServerResponseException> as, Runnable call) {
    try {
      call.run();
    } catch (BaseServerResponseException problem) {
      check(as.isInstance(problem), problem.toString());
      OperationOutcome outcome = (OperationOutcome) problem.getOperationOutcome();
      check(!outcome.getIssueFirstRep().getDetails().getText().isEmpty(), "words");
      return;
    }
    check(false, "not refused: " + as);
  }

  private static void check(boolean isTrue, String what) {
    if (!isTrue) throw new IllegalStateException(what);
  }
}
