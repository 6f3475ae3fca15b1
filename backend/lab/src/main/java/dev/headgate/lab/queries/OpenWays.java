package dev.headgate.lab.queries;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Ways that are closed together. Belongs to one thread. */
final class OpenWays implements AutoCloseable {

    private final List<Way> ways = new ArrayList<>();

    void add(Way way) {
        ways.add(way);
    }

    List<Way> all() {
        return List.copyOf(ways);
    }

    @Override
    public void close() throws SQLException, IOException {
        for (Way way : ways) {
            way.close();
        }
    }
}
