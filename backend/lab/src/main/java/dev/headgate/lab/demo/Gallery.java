package dev.headgate.lab.demo;

import dev.headgate.lab.Application;
import dev.headgate.lab.Client;
import dev.headgate.lab.Mix;
import dev.headgate.lab.Pace;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.SplittableRandom;

/**
 * A picture gallery: few large results, streamed. A request reads 50 to 300 portraits (name, two dates, a PNG of about
 * 7 KB, a paragraph; 0.4 to 2.3 MB) through a cursor, and passes each batch on to its reader before it fetches the
 * next, so that at most one batch is in memory.
 *
 * <p>A reader takes about 80 ms for a batch of 25 (2 MB a second). The connection is held meanwhile: half a second on
 * average. So two requests a second keep one connection busy at rest, and about six at a peak, while the database is
 * almost idle.
 */
public final class Gallery implements Application {

    private static final int PORTRAITS = 1_000;
    private static final int FEWEST_ROWS = 50;
    private static final int MOST_ROWS = 300;
    private static final int BATCH_ROWS = 25;
    private static final double READER_MILLIS_PER_BATCH = 80;

    private static final String[] SURNAMES = {
        "Abbot", "Barrow", "Calloway", "Denholm", "Ellery", "Fairfax", "Garland", "Hathaway",
        "Iverson", "Jessop", "Kingsley", "Lockwood", "Merriam", "Norcross", "Oakes", "Pemberton",
        "Quincy", "Rutledge", "Sheffield", "Thornbury", "Underhill", "Vance", "Whitcombe", "Yarrow",
    };
    private static final String[] SEASONS = {"spring", "summer", "autumn", "winter"};
    private static final String[] OCCASIONS = {
        "before the election", "after the great fire", "of the long frost", "before the voyage", "after the wedding",
    };
    private static final String[] PLACES = {
        "at the desk where most of the letters were written",
        "in the library of the old house",
        "by the window that looks on the harbour",
        "in the room where the society met",
    };
    private static final String REST = " The light comes from the left, the hand rests on a closed book, and the"
            + " landscape behind the curtain is that of the family's farm. It was shown once in the sitter's lifetime, and"
            + " then lent to the gallery for a hundred years.";

    @Override
    public String name() {
        return "gallery";
    }

    @Override
    public String description() {
        return "Few, large, streamed results: 50 to 300 portraits with a 7 KB image each";
    }

    @Override
    public Pace pace() {
        return new Pace(2, true);
    }

    @Override
    public String schema() {
        return "gallery";
    }

    @Override
    public Mix mix() {
        return Mix.of("reader", Gallery::read);
    }

    private static void read(Connection connection, Client client) throws SQLException, InterruptedException {
        int rows = client.random().nextInt(FEWEST_ROWS, MOST_ROWS + 1);
        int first = client.oneOf(PORTRAITS - rows + 1);
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT name, born, died, image, life FROM gallery.portraits WHERE id >= ? ORDER BY id LIMIT ?")) {
            statement.setFetchSize(BATCH_ROWS);
            statement.setInt(1, first);
            statement.setInt(2, rows);
            try (ResultSet portraits = statement.executeQuery()) {
                for (int row = 1; portraits.next(); row++) {
                    portraits.getString(1);
                    portraits.getBytes(4);
                    if (row % BATCH_ROWS == 0) {
                        client.work(READER_MILLIS_PER_BATCH);
                    }
                }
            }
        }
    }

    @Override
    public void setUp(Connection connection) throws SQLException {
        Schema.ensure(connection, schema(), Gallery::createTables);
        replaceNoise(connection);
    }

    private static void createTables(Connection connection) throws SQLException {
        Schema.execute(
                connection,
                "CREATE TABLE gallery.portraits (id int PRIMARY KEY, name text NOT NULL, born date NOT NULL,"
                        + " died date NOT NULL, image bytea NOT NULL, life text NOT NULL)",
                // Images do not compress, and trying would take most of the set-up's time.
                "ALTER TABLE gallery.portraits ALTER image SET STORAGE EXTERNAL");
        SplittableRandom random = new SplittableRandom(42);
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO gallery.portraits (name, image, life, born, died, id) VALUES (?, ?, ?, ?, ?, ?)")) {
            for (int id = 1; id <= PORTRAITS; id++) {
                LocalDate born = LocalDate.of(1730, 1, 1).plusDays(random.nextInt(60_000));
                paint(statement, id);
                statement.setDate(4, Date.valueOf(born));
                statement.setDate(5, Date.valueOf(born.plusDays(random.nextInt(15_000, 33_000))));
                statement.setInt(6, id);
                statement.addBatch();
                if (id % 100 == 0) {
                    statement.executeBatch();
                }
            }
        }
        Schema.execute(connection, "ANALYZE gallery.portraits");
    }

    /** Sets a portrait's name, image and life, the first three parameters. */
    private static void paint(PreparedStatement statement, int id) throws SQLException {
        SplittableRandom random = new SplittableRandom(id);
        char initial = (char) ('A' + random.nextInt(26));
        statement.setString(1, initial + ". " + oneOf(SURNAMES, random));
        statement.setBytes(2, Portrait.png(id));
        statement.setString(
                3,
                "Painted from life in the %s %s, this portrait shows its sitter %s.%s"
                        .formatted(oneOf(SEASONS, random), oneOf(OCCASIONS, random), oneOf(PLACES, random), REST));
    }

    private static String oneOf(String[] values, SplittableRandom random) {
        return values[random.nextInt(values.length)];
    }

    /** Earlier versions made images of 7,168 random bytes. Paints the portraits that still have one. */
    private static void replaceNoise(Connection connection) throws SQLException {
        if (Sql.query(connection, "SELECT count(to_regclass('gallery.portraits'))") == 0) {
            return; // dropped by an operator
        }
        connection.setAutoCommit(false);
        try (PreparedStatement noise = connection.prepareStatement("SELECT id FROM gallery.portraits"
                        + " WHERE length(image) = 7168 AND substring(image FOR 4) <> '\\x89504e47' ORDER BY id");
                ResultSet ids = noise.executeQuery();
                PreparedStatement statement = connection.prepareStatement(
                        "UPDATE gallery.portraits SET name = ?, image = ?, life = ? WHERE id = ?")) {
            while (ids.next()) {
                paint(statement, ids.getInt(1));
                statement.setInt(4, ids.getInt(1));
                statement.addBatch();
            }
            statement.executeBatch();
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }
}
