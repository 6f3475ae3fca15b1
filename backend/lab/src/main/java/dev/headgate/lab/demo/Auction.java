package dev.headgate.lab.demo;

import dev.headgate.lab.Application;
import dev.headgate.lab.Client;
import dev.headgate.lab.Mix;
import dev.headgate.lab.Pace;
import dev.headgate.lab.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * An auction site after RUBiS: its tables, small enough for memory, its {@link Page pages}, and its users, who go from page to page by
 * {@link Transitions}. About one page in eleven writes.
 *
 * <p>A session is one user's walk. Where requests arrive one by one, at a rate, each is a page for a visitor of its own, drawn by the
 * share that the page has of all that sessions show.
 *
 * <p>Because a new item takes the place of the auction that ends first, {@code items} and {@code bids} keep their size however long the
 * demo runs.
 *
 * <p>A page holds its connection for 25 ms or so, most of which is rendering. So 70 requests a second keep about two connections busy at
 * rest and six to ten at a peak, while the database does little (Little's law: busy = rate x time held).
 */
public final class Auction implements Application {

    static final int CATEGORIES = 20;
    static final int REGIONS = 62;
    static final int USERS = 5_000;
    static final int ITEMS = 3_000;

    /** The mean time between two pages of a session, as published. */
    public static final Duration THINK = Duration.ofSeconds(7);

    private static final double WEIGHTS = 100_000;
    private static final Transitions TRANSITIONS = Transitions.load();
    private static final Map<Page, Double> VISITS = TRANSITIONS.visits();
    private static final double PAGES_PER_SESSION =
            VISITS.values().stream().mapToDouble(Double::doubleValue).sum();

    /** The tables whose rows are numbered by {@code ids}. */
    private static final List<String> NUMBERED = List.of("users", "old_items", "bids", "comments", "buy_now");

    private static final String[] WORDS = {
        "antique",
        "brass",
        "camera",
        "desk",
        "engraved",
        "folding",
        "garden",
        "handmade",
        "ivory",
        "jacket",
        "kettle",
        "lamp",
        "mirror",
        "novel",
        "oak",
        "portrait",
        "quilt",
        "radio",
        "silver",
        "table",
        "umbrella",
        "violin",
        "watch"
    };

    @Override
    public String name() {
        return "auction";
    }

    @Override
    public String description() {
        return "An auction site's browse, bid and buy mix, after RUBiS";
    }

    @Override
    public Pace pace() {
        return new Pace(70, true);
    }

    @Override
    public String schema() {
        return "auction";
    }

    @Override
    public Mix mix() {
        Mix.Builder mix = Mix.builder();
        VISITS.forEach((page, visits) -> mix.add(
                page.title(),
                (int) Math.round(WEIGHTS * visits / PAGES_PER_SESSION),
                (connection, client) -> page.show(connection, client, new Visitor(client))));
        return mix.build();
    }

    @Override
    public Iterator<Transaction> session(Client client) {
        Visitor visitor = new Visitor(client);
        Walk walk = new Walk(TRANSITIONS, client.random());
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return walk.hasNext();
            }

            @Override
            public Transaction next() {
                Page page = walk.next();
                return (connection, browser) -> page.show(connection, browser, visitor);
            }
        };
    }

    /** How many pages a session shows, on average. */
    public static double pagesPerSession() {
        return PAGES_PER_SESSION;
    }

    /** One of the words that descriptions consist of. */
    static String word(Client client) {
        return WORDS[client.random().nextInt(WORDS.length)];
    }

    @Override
    public void setUp(Connection connection) throws SQLException {
        Schema.ensure(connection, schema(), Auction::createTables);
        for (String table : NUMBERED) {
            number(connection, table);
        }
    }

    /** Continues at the table's last row, in a database of an earlier version as well, whose tables numbered their rows themselves. */
    private static void number(Connection connection, String table) throws SQLException {
        Schema.execute(
                connection,
                "CREATE TABLE IF NOT EXISTS auction.ids (table_name text PRIMARY KEY, last_id bigint NOT NULL)",
                "ALTER TABLE auction." + table + " ALTER id DROP IDENTITY IF EXISTS",
                "INSERT INTO auction.ids SELECT '" + table + "', coalesce(max(id), 0) FROM auction." + table
                        + " ON CONFLICT (table_name) DO UPDATE SET last_id = greatest(ids.last_id, excluded.last_id)");
    }

    private static void createTables(Connection connection) throws SQLException {
        String words = "(ARRAY['" + String.join("','", WORDS) + "'])";
        Schema.execute(
                connection,
                "CREATE TABLE auction.categories (id int PRIMARY KEY, name text NOT NULL)",
                "CREATE TABLE auction.regions (id int PRIMARY KEY, name text NOT NULL)",
                """
                CREATE TABLE auction.users (
                    id int PRIMARY KEY, nickname text NOT NULL UNIQUE,
                    region int NOT NULL REFERENCES auction.regions, rating int NOT NULL, created timestamptz NOT NULL)""",
                """
                CREATE TABLE auction.items (
                    id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name text NOT NULL, description text NOT NULL,
                    category int NOT NULL REFERENCES auction.categories, seller int NOT NULL REFERENCES auction.users,
                    quantity int NOT NULL, initial_price numeric NOT NULL, max_bid numeric NOT NULL,
                    nb_of_bids int NOT NULL, start_date timestamptz NOT NULL, end_date timestamptz NOT NULL)
                    WITH (fillfactor = 80)""",
                """
                CREATE TABLE auction.old_items (
                    id bigint PRIMARY KEY, item_id int NOT NULL, name text NOT NULL,
                    category int NOT NULL, seller int NOT NULL, max_bid numeric NOT NULL, nb_of_bids int NOT NULL,
                    end_date timestamptz NOT NULL)""",
                """
                CREATE TABLE auction.bids (
                    id bigint PRIMARY KEY, user_id int NOT NULL REFERENCES auction.users,
                    item_id int NOT NULL REFERENCES auction.items, qty int NOT NULL, bid numeric NOT NULL,
                    max_bid numeric NOT NULL, date timestamptz NOT NULL)""",
                """
                CREATE TABLE auction.comments (
                    id bigint PRIMARY KEY,
                    from_user_id int NOT NULL REFERENCES auction.users, to_user_id int NOT NULL REFERENCES auction.users,
                    item_id int NOT NULL, rating int NOT NULL, date timestamptz NOT NULL, comment text NOT NULL)""",
                """
                CREATE TABLE auction.buy_now (
                    id bigint PRIMARY KEY, buyer_id int NOT NULL REFERENCES auction.users,
                    item_id int NOT NULL REFERENCES auction.items, qty int NOT NULL, date timestamptz NOT NULL)""",
                "INSERT INTO auction.categories SELECT n, 'Category ' || n FROM generate_series(1, " + CATEGORIES
                        + ") n",
                "INSERT INTO auction.regions SELECT n, 'Region ' || n FROM generate_series(1, " + REGIONS + ") n",
                "INSERT INTO auction.users (id, nickname, region, rating, created)"
                        + " SELECT n, 'user' || n, 1 + n % " + REGIONS + ", 0, now() - n * interval '1 hour'"
                        + " FROM generate_series(1, " + USERS + ") n",
                // 30 to 90 words each, about 400 characters
                "INSERT INTO auction.items (name, description, category, seller, quantity, initial_price, max_bid,"
                        + " nb_of_bids, start_date, end_date)"
                        + " SELECT " + words + "[1 + n % " + WORDS.length + "] || ' no. ' || n,"
                        + " (SELECT string_agg(" + words + "[1 + floor(random() * " + WORDS.length + ")::int], ' ')"
                        + " FROM generate_series(1, 30 + n % 60)),"
                        + " 1 + n % " + CATEGORIES + ", 1 + n % " + USERS + ", 10, p, p, 0,"
                        + " now() - interval '7 days' * random(), now() + interval '7 days' * random()"
                        + " FROM (SELECT n, 1 + floor(random() * 100) p FROM generate_series(1, " + ITEMS + ") n)",
                "INSERT INTO auction.old_items (id, item_id, name, category, seller, max_bid, nb_of_bids, end_date)"
                        + " SELECT n, n, 'sold no. ' || n, 1 + n % " + CATEGORIES + ", 1 + n % " + USERS + ", 50, 5,"
                        + " now() - n * interval '1 hour' FROM generate_series(1, 5000) n",
                "INSERT INTO auction.bids (id, user_id, item_id, qty, bid, max_bid, date)"
                        + " SELECT n, 1 + floor(random() * " + USERS + ")::int, 1 + n % " + ITEMS + ", 1, 10 + n / 100,"
                        + " 20 + n / 100, now() - n * interval '10 seconds' FROM generate_series(1, 30000) n",
                "INSERT INTO auction.comments (id, from_user_id, to_user_id, item_id, rating, date, comment)"
                        + " SELECT n, 1 + floor(random() * " + USERS + ")::int, 1 + floor(random() * random() * "
                        + USERS
                        + ")::int, 1 + n % " + ITEMS + ", 1, now() - n * interval '1 minute', 'Quick and friendly.'"
                        + " FROM generate_series(1, 10000) n",
                "UPDATE auction.items SET nb_of_bids = b.n, max_bid = b.top FROM"
                        + " (SELECT item_id, count(*) n, max(bid) top FROM auction.bids GROUP BY item_id) b"
                        + " WHERE b.item_id = items.id",
                "CREATE INDEX ON auction.users (region)",
                "CREATE INDEX ON auction.items (category, end_date)",
                "CREATE INDEX ON auction.items (end_date)",
                "CREATE INDEX ON auction.items (seller)",
                "CREATE INDEX ON auction.bids (item_id, bid)",
                "CREATE INDEX ON auction.bids (user_id)",
                "CREATE INDEX ON auction.comments (to_user_id, date)",
                "CREATE INDEX ON auction.buy_now (buyer_id)",
                "ANALYZE auction.users",
                "ANALYZE auction.items",
                "ANALYZE auction.bids",
                "ANALYZE auction.comments");
    }
}
