package dev.headgate.bench.wire;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The gallery's rows read whole into memory by as many threads at once, as a program without streaming does. */
final class Materialised {

    private Materialised() {}

    /** @param arguments the address, user and password of the database, and the number of threads */
    public static void main(String[] arguments) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[3]); i++) {
            threads.add(Thread.ofPlatform().start(() -> read(arguments)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void read(String[] arguments) {
        try (Connection connection = DriverManager.getConnection(arguments[0], arguments[1], arguments[2]);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM gallery")) {
            List<List<String>> all = new ArrayList<>();
            while (rows.next()) {
                List<String> row = new ArrayList<>();
                for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                    row.add(rows.getString(column));
                }
                all.add(row);
            }
            System.out.println(all.size());
        } catch (SQLException e) {
            System.out.println(e.getMessage());
        } catch (OutOfMemoryError e) {
            System.out.println("OutOfMemoryError");
            Runtime.getRuntime().halt(3);
        }
    }
}
