import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import ploidy.ApiClient;
import ploidy.ApiException;
import ploidy.api.*;
import ploidy.model.*;

/** Works with the client of openapi-generator. ADDRESS, KEY, ACCOUNT and RECORDS are in the environment. */
public final class Main {
    private static ApiClient client(String key) {
        ApiClient client = new ApiClient().setBasePath(System.getenv("ADDRESS"));
        if (key != null) client.setBearerToken(key);
        return client;
    }

    private static void require(boolean holds, Object found) {
        if (!holds) throw new IllegalStateException(String.valueOf(found));
    }

    private static int statusOf(Callable<?> call) throws Exception {
        try {
            call.call();
            return 200;
        } catch (ApiException problem) {
            return problem.getCode();
        }
    }

    private static Map<String, String> signed(URI address) {
        Map<String, String> values = new TreeMap<>();
        for (String pair : address.getRawQuery().split("&")) {
            String[] parts = pair.split("=", 2);
            values.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return values;
    }

    private static String lastOf(URI address) {
        return address.getPath().substring(address.getPath().lastIndexOf('/') + 1);
    }

    public static void main(String[] words) throws Exception {
        String account = System.getenv("ACCOUNT");
        ApiClient known = client(System.getenv("KEY"));
        ApiClient stranger = client(null);

        require(!new ServiceApi(stranger).getVersion().getVersion().isEmpty(), "version");
        require(statusOf(() -> new UsersApi(stranger).getMe()) == 401, "no credential");
        require(new UsersApi(known).getMe().getProfile().getEmail() != null, "e-mail address");
        require(!new AccountsApi(known).listAccounts().getAccounts().isEmpty(), "accounts");

        ProjectsApi projects = new ProjectsApi(known);
        CreateProjectBody newProject = new CreateProjectBody().name("Java");
        String project = projects.createProject(account, newProject, null).getId();
        require(statusOf(() -> projects.createProject(account, newProject, null)) == 409, "name in use");
        Project changed = projects.updateProject(project, new UpdateProjectBody().description("Changed"));
        require(changed.getDescription().equals("Changed"), changed);

        Path records = Path.of(System.getenv("RECORDS"));
        FilesApi files = new FilesApi(known);
        CreateFileAnswer upload =
            files.createFile(account, new CreateFileBody().name("records/p.ndjson").datasetId(project), null);
        Map<String, String> to = signed(upload.getUploadUrl());
        StoredFile stored = new FilesApi(stranger).transferUpload(
            lastOf(upload.getUploadUrl()), records.toFile(), to.get("by"), to.get("expires"), to.get("signature"), null);
        require(stored.getSize() == Files.size(records), stored);
        require(files.listFiles(account, project, null, null, null, null).getItems().size() == 1, "files");

        IngestionApi ingestions = new IngestionApi(known);
        Ingestion ingestion =
            ingestions.startIngestion(new StartIngestionBody().datasetId(project).fileId(upload.getId()), null);
        for (int tries = 0; tries < 600 && !ingestion.getState().getValue().matches("succeeded|failed"); tries++) {
            Thread.sleep(100);
            ingestion = ingestions.getIngestion(ingestion.getId());
        }
        require(ingestion.getState().getValue().equals("succeeded"), ingestion);

        DataLakeApi lake = new DataLakeApi(known);
        require(!lake.listTables(project).getSchemas().isEmpty(), "tables");
        String sql = "SELECT patient_id FROM patient ORDER BY patient_id";
        StartQueryBody statement = new StartQueryBody().query(sql).datasetId(project).outputFileName("result.csv");
        String queryId = lake.startQuery(statement, null, null).getStartedQuery().getQueryId();
        Query query = lake.getQuery(queryId);
        for (int tries = 0; tries < 600 && query.getState().getValue().equals("running"); tries++) {
            Thread.sleep(100);
            query = lake.getQuery(queryId);
        }
        require(query.getState().getValue().equals("succeeded"), query);
        List<List<Object>> rows = lake.queryRows(new QueryRowsBody().query(sql).datasetId(project)).getRows();
        require(rows.size() == query.getRowCount(), rows);

        CreateCohortBody someone = new CreateCohortBody().name("Some").ownerProject(project);
        someone.addSubjectIdsItem(String.valueOf(rows.get(0).get(0)));
        require(new CohortsApi(known).createCohort(account, someone, null).getResultCount() == 1, "cohort");
        Group group = new GroupsApi(known).createGroup(account, new CreateGroupBody().name("Java"), null);

        ValueComparison includes = new ValueComparison()
            .comparison(ValueComparison.ComparisonEnum.INCLUDES).value(group.getId());
        Rule rule = new Rule().userGroups(new Comparison(includes));
        Policy document = new Policy().putRulesItem("readMaskedData", new PolicyRulesValue(List.of(rule)));
        PoliciesApi policies = new PoliciesApi(known);
        StoredPolicy policy =
            policies.createPolicy(account, new CreatePolicyBody().name("Java").policy(document), null);
        require(policy.getGroups().get(0).getName().equals("Java"), policy);
        policies.deletePolicy(policy.getId(), account, null);
        projects.deleteProject(project, true);
        require(statusOf(() -> projects.getProject(project, null)) == 404, "deleted project");
        System.exit(0);
    }
}
