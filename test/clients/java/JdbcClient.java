import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;

/** Does with the JDBC driver what DBeaver and BI tools do. ADDRESS (https), KEY, PROJECT and CERTIFICATE are in the environment, and BROWSER_OF_USER. */
public class JdbcClient {
  private static final String schema = System.getenv("PROJECT");

  public static void main(String[] arguments) throws Exception {
    try (Connection connection = connect(System.getenv("KEY"), "&validateConnection=true")) {
      browse(connection.getMetaData());
      read(connection);
      prepare(connection);
      change(connection);
      limits(connection);
      measure(connection);
    }
    try (Connection connection = connect(System.getenv("KEY"), "&explicitPrepare=false")) {
      prepare(connection);
    }
    refuse();
    narrow();
    signIn();
  }

  /** Reads pages of a statement while the rights of its user are narrowed. */
  private static void narrow() throws Exception {
    // Several pages of 4 MiB.
    String statement = "SELECT patient_id, rpad('', 200, 'x') FROM patient CROSS JOIN UNNEST(range(50000)) AS t(n)";
    try (Connection connection = connect(System.getenv("NARROWED_KEY"), "")) {
      ResultSet pages = connection.createStatement().executeQuery(statement);
      check(pages.next(), "rows before");
      URI.create(System.getenv("NARROW")).toURL().openStream().readAllBytes();
      int read = 1;
      try {
        while (pages.next()) read += 1;
        check(false, read + " rows after the rights were narrowed");
      } catch (SQLException refused) {
        check(refused.getMessage().contains("rights to rows changed"), refused.getMessage());
      }
      check(read < 100_000, read + " rows of before");
      try (ResultSet now = connection.createStatement().executeQuery("SELECT DISTINCT patient_id FROM patient")) {
        check(column(now, "patient_id").equals(List.of("p-0")), "rows of now");
      }
    }
  }

  /** Signs in with the browser of a user: the driver prints the page to open. */
  private static void signIn() throws SQLException {
    PrintStream shown = System.out;
    System.setOut(new PrintStream(new ByteArrayOutputStream()) {
      @Override
      public void println(String line) {
        if (line.startsWith("http")) new Thread(() -> open(line)).start();
      }
    });
    String printed = "&externalAuthentication=true&externalAuthenticationRedirectHandlers=PRINT&externalAuthenticationTimeout=30s";
    try (Connection byKey = connect(System.getenv("KEY"), ""); Connection byBrowser = connect(null, printed)) {
      check(!userOf(byBrowser).equals(userOf(byKey)), "user of the browser");
    } finally {
      System.setOut(shown);
    }
  }

  private static String userOf(Connection connection) throws SQLException {
    try (ResultSet rows = connection.createStatement().executeQuery("SELECT current_user")) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static void open(String page) {
    try {
      URI address = URI.create(System.getenv("BROWSER_OF_USER") + URLEncoder.encode(page, StandardCharsets.UTF_8));
      address.toURL().openStream().readAllBytes();
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private static Connection connect(String key, String more) throws SQLException {
    Properties properties = new Properties();
    if (key != null) {
      properties.setProperty("user", "tool");
      properties.setProperty("accessToken", key);
    }
    String url = System.getenv("ADDRESS").replaceFirst("https", "jdbc:trino") + "/ploidy/" + schema
        + "?SSL=true&SSLTrustStorePath=" + System.getenv("CERTIFICATE") + more;
    return DriverManager.getConnection(url, properties);
  }

  private static void browse(DatabaseMetaData metadata) throws SQLException {
    metadata.getDatabaseProductVersion();
    check(column(metadata.getCatalogs(), "TABLE_CAT").contains("ploidy"), "catalogs");
    check(column(metadata.getSchemas(), "TABLE_SCHEM").contains(schema), "schemas");
    check(column(metadata.getSchemas("ploidy", schema.replace("_", "\\_")), "TABLE_SCHEM").equals(List.of(schema)), "schema");
    check(column(metadata.getTableTypes(), "TABLE_TYPE").contains("TABLE"), "table types");
    String[] types = {"TABLE", "VIEW"};
    check(column(metadata.getTables("ploidy", schema, "%", types), "TABLE_NAME").contains("patient"), "tables");
    check(column(metadata.getColumns("ploidy", schema, "patient", "%"), "COLUMN_NAME").contains("patient_id"), "columns");
    check(column(metadata.getTypeInfo(), "TYPE_NAME").contains("varchar"), "types");
    check(column(metadata.getPrimaryKeys("ploidy", schema, "patient"), "COLUMN_NAME").isEmpty(), "keys");
    check(column(metadata.getImportedKeys("ploidy", schema, "patient"), "FKCOLUMN_NAME").isEmpty(), "imported keys");
    check(column(metadata.getProcedures("ploidy", schema, "%"), "PROCEDURE_NAME").isEmpty(), "procedures");
    check(column(metadata.getUDTs("ploidy", schema, "%", null), "TYPE_NAME").isEmpty(), "types of users");
    check(column(metadata.getSuperTables("ploidy", schema, "%"), "TABLE_NAME").isEmpty(), "super tables");
    check(column(metadata.getPseudoColumns("ploidy", schema, "%", "%"), "COLUMN_NAME").isEmpty(), "pseudo columns");
  }

  private static void read(Connection connection) throws SQLException {
    String sql = "SELECT 9223372036854775807, CAST(1.5 AS decimal(4, 2)), DATE '2024-02-29', TIMESTAMP '2024-01-01 10:00:00.123',"
        + " ARRAY[1, 2], X'4142', CAST(NULL AS varchar)";
    try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
      check(rows.next() && rows.getLong(1) == Long.MAX_VALUE, "bigint");
      check(rows.getBigDecimal(2).toString().equals("1.50"), "decimal");
      check(rows.getDate(3).toString().equals("2024-02-29"), "date");
      check(rows.getTimestamp(4).toString().startsWith("2024-01-01 10:00:00.123"), "timestamp");
      check(((Object[]) rows.getArray(5).getArray()).length == 2, "array");
      check(new String(rows.getBytes(6)).equals("AB"), "bytes");
      check(rows.getString(7) == null && rows.wasNull() && !rows.next(), "null");
    }
  }

  private static void prepare(Connection connection) throws SQLException {
    String sql = "SELECT count(*), ? FROM patient WHERE patient_id <> ? AND dob > ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, "it's ? --");
      statement.setString(2, "nobody");
      statement.setDate(3, java.sql.Date.valueOf("1900-01-01"));
      try (ResultSet rows = statement.executeQuery()) {
        check(rows.next() && rows.getLong(1) > 0 && rows.getString(2).equals("it's ? --"), "parameters");
      }
    }
  }

  private static void change(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("USE ploidy.information_schema");
      check(connection.getSchema().equals("information_schema"), "schema of the session");
      statement.execute("USE ploidy." + schema);
      statement.execute("SET SESSION query_max_run_time = '1h'");
      connection.setAutoCommit(false);
      statement.executeQuery("SELECT 1").close();
      connection.commit();
      connection.setAutoCommit(true);
      connection.setReadOnly(true);
    }
  }

  private static void limits(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setMaxRows(10);
      int count = 0;
      ResultSet rows = statement.executeQuery("SELECT n FROM UNNEST(range(100000)) AS t(n)");
      while (rows.next()) count++;
      check(count == 10, "maximum of rows");
    }
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(2);
      statement.executeQuery("SELECT count(*) FROM range(100000000) a(i), range(100000) b(j) WHERE hash(i + j) = 1");
      check(false, "the time limit was passed");
    } catch (SQLException error) {
      check(error.getErrorCode() == 131075, "time limit: " + error);
    }
  }

  private static void measure(Connection connection) throws SQLException {
    List<Double> times = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      for (int turn = 0; turn < 21; turn++) {
        long start = System.nanoTime();
        ResultSet rows = statement.executeQuery("SELECT 1");
        check(rows.next() && rows.getInt(1) == 1 && !rows.next(), "one");
        times.add((System.nanoTime() - start) / 1e6);
      }
    }
    Collections.sort(times);
    System.out.printf("SELECT 1 in %.0f ms at the median%n", times.get(10));
  }

  private static void refuse() throws SQLException {
    try (Connection connection = connect("wrong", ""); Statement statement = connection.createStatement()) {
      statement.executeQuery("SELECT 1");
      check(false, "a wrong key was accepted");
    } catch (SQLException error) {
      check(String.valueOf(error.getMessage()).contains("Send a valid API key"), "wrong key: " + error);
    }
  }

  private static List<String> column(ResultSet rows, String name) throws SQLException {
    List<String> values = new ArrayList<>();
    while (rows.next()) values.add(rows.getString(name));
    rows.close();
    return values;
  }

  private static void check(boolean holds, String what) {
    if (!holds) throw new IllegalStateException(what);
  }
}
