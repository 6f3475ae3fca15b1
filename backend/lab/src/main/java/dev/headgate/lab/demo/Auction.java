package dev.headgate.lab.demo;

import dev.headgate.lab.Application;
import dev.headgate.lab.Client;
import dev.headgate.lab.Mix;
import dev.headgate.lab.Pace;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * An auction site after RUBiS: its tables, small enough for memory, and its bidding mix, in which about 15 % of the
 * requests write. Each request of a page is one transaction. The weights, in percent:
 *
 * <pre>
 * home 10        categories and regions, for the front page
 * browse 24      the items of a category that end soonest
 * region 8       the same, of one region's sellers
 * search 7       a word in the descriptions of a category: no index helps, several ms of server time
 * item 23        one item with its seller
 * bids 7         the bids on an item, with the bidders' names
 * user 7         a user and the comments on them
 * bid 8          a bid: locks the item, stores the bid, raises the item's price
 * buy 2          buy now: the whole remaining quantity
 * comment 2      a comment, which changes the other user's rating
 * register 1     a new user
 * close 1        an auction ends: the item becomes an old item, its bids are deleted, and the seller offers it again
 * </pre>
 *
 * <p>Because a closed item is offered again, {@code items} and {@code bids} keep their size however long the demo runs.
 *
 * <p>A page is rendered while its connection is held, as most frameworks do: 25 ms on average around and after the
 * statements. So 70 requests a second keep about two connections busy at rest and six to ten at a peak, while the
 * database does little (Little's law: busy = rate x time held).
 */
public final class Auction implements Application {

    private static final int CATEGORIES = 20;
    private static final int REGIONS = 62;
    private static final int USERS = 5_000;
    private static final int ITEMS = 3_000;
    private static final int PAGE = 20;
    private static final double RENDER_MILLIS = 20;
    private static final double THINK_MILLIS = 5;

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
        return Mix.builder()
                .add("home", 10, Auction::home)
                .add("browse", 24, Auction::browse)
                .add("region", 8, Auction::region)
                .add("search", 7, Auction::search)
                .add("item", 23, Auction::item)
                .add("bids", 7, Auction::bids)
                .add("user", 7, Auction::user)
                .add("bid", 8, Auction::bid)
                .add("buy", 2, Auction::buy)
                .add("comment", 2, Auction::comment)
                .add("register", 1, Auction::register)
                .add("close", 1, Auction::close)
                .build();
    }

    private static void home(Connection connection, Client client) throws SQLException, InterruptedException {
        Sql.query(connection, "SELECT id, name FROM auction.categories ORDER BY name");
        client.work(THINK_MILLIS);
        Sql.query(connection, "SELECT id, name FROM auction.regions ORDER BY name");
        client.work(RENDER_MILLIS);
    }

    private static void browse(Connection connection, Client client) throws SQLException, InterruptedException {
        int category = client.oneOf(CATEGORIES);
        Sql.query(connection, "SELECT count(*) FROM auction.items WHERE category = ?", category);
        client.work(THINK_MILLIS);
        Sql.query(
                connection,
                "SELECT id, name, initial_price, max_bid, nb_of_bids, end_date FROM auction.items"
                        + " WHERE category = ? ORDER BY end_date LIMIT ? OFFSET ?",
                category,
                PAGE,
                PAGE * client.random().nextInt(3));
        client.work(RENDER_MILLIS);
    }

    private static void region(Connection connection, Client client) throws SQLException, InterruptedException {
        Sql.query(
                connection,
                "SELECT i.id, i.name, i.max_bid, i.end_date FROM auction.items i JOIN auction.users u ON u.id = i.seller"
                        + " WHERE u.region = ? AND i.category = ? ORDER BY i.end_date LIMIT ?",
                client.oneOf(REGIONS),
                client.oneOf(CATEGORIES),
                PAGE);
        client.work(RENDER_MILLIS);
    }

    private static void search(Connection connection, Client client) throws SQLException, InterruptedException {
        String word = WORDS[client.random().nextInt(WORDS.length)];
        String other = WORDS[client.random().nextInt(WORDS.length)];
        Sql.query(
                connection,
                "SELECT id, name, max_bid, end_date FROM auction.items"
                        + " WHERE description ILIKE ? ORDER BY end_date LIMIT ?",
                "%" + word + "%" + other + "%",
                PAGE);
        client.work(RENDER_MILLIS);
    }

    private static void item(Connection connection, Client client) throws SQLException, InterruptedException {
        long seller = Sql.query(
                connection,
                "SELECT seller, name, description, quantity, max_bid, nb_of_bids, end_date FROM auction.items"
                        + " WHERE id = ?",
                client.popularOf(ITEMS));
        client.work(THINK_MILLIS);
        Sql.query(connection, "SELECT id, nickname, rating FROM auction.users WHERE id = ?", (int) seller);
        client.work(RENDER_MILLIS);
    }

    private static void bids(Connection connection, Client client) throws SQLException, InterruptedException {
        Sql.query(
                connection,
                "SELECT b.id, u.nickname, b.bid, b.date FROM auction.bids b JOIN auction.users u ON u.id = b.user_id"
                        + " WHERE b.item_id = ? ORDER BY b.bid DESC LIMIT 50",
                client.popularOf(ITEMS));
        client.work(RENDER_MILLIS);
    }

    private static void user(Connection connection, Client client) throws SQLException, InterruptedException {
        int user = client.popularOf(USERS);
        Sql.query(connection, "SELECT id, nickname, rating, created FROM auction.users WHERE id = ?", user);
        client.work(THINK_MILLIS);
        Sql.query(
                connection,
                "SELECT c.id, u.nickname, c.rating, c.comment FROM auction.comments c"
                        + " JOIN auction.users u ON u.id = c.from_user_id"
                        + " WHERE c.to_user_id = ? ORDER BY c.date DESC LIMIT 20",
                user);
        client.work(RENDER_MILLIS);
    }

    private static void bid(Connection connection, Client client) throws SQLException, InterruptedException {
        int item = client.popularOf(ITEMS);
        Sql.query(connection, "SELECT id FROM auction.users WHERE id = ?", client.oneOf(USERS));
        client.work(RENDER_MILLIS);
        long price =
                Sql.query(connection, "SELECT max_bid::bigint FROM auction.items WHERE id = ? FOR NO KEY UPDATE", item);
        client.work(THINK_MILLIS);
        long bid = price + client.oneOf(10);
        Sql.update(
                connection,
                "INSERT INTO auction.bids (user_id, item_id, qty, bid, max_bid, date) VALUES (?, ?, 1, ?, ?, now())",
                client.oneOf(USERS),
                item,
                bid,
                bid + 10);
        Sql.update(
                connection,
                "UPDATE auction.items SET max_bid = ?, nb_of_bids = nb_of_bids + 1 WHERE id = ?",
                bid,
                item);
    }

    private static void buy(Connection connection, Client client) throws SQLException, InterruptedException {
        int item = client.popularOf(ITEMS);
        client.work(RENDER_MILLIS);
        int left = Sql.update(
                connection, "UPDATE auction.items SET quantity = quantity - 1 WHERE id = ? AND quantity > 1", item);
        if (left == 1) {
            Sql.update(
                    connection,
                    "INSERT INTO auction.buy_now (buyer_id, item_id, qty, date) VALUES (?, ?, 1, now())",
                    client.oneOf(USERS),
                    item);
        }
    }

    private static void comment(Connection connection, Client client) throws SQLException, InterruptedException {
        int about = client.popularOf(USERS);
        int rating = client.random().nextInt(-5, 6);
        client.work(RENDER_MILLIS);
        Sql.update(
                connection,
                "INSERT INTO auction.comments (from_user_id, to_user_id, item_id, rating, date, comment)"
                        + " VALUES (?, ?, ?, ?, now(), ?)",
                client.oneOf(USERS),
                about,
                client.oneOf(ITEMS),
                rating,
                "As described, well packed, quickly sent.");
        Sql.update(connection, "UPDATE auction.users SET rating = rating + ? WHERE id = ?", rating, about);
    }

    private static void register(Connection connection, Client client) throws SQLException, InterruptedException {
        client.work(RENDER_MILLIS);
        Sql.update(
                connection,
                "INSERT INTO auction.users (nickname, region, rating, created) VALUES (?, ?, 0, now())"
                        + " ON CONFLICT (nickname) DO NOTHING",
                "guest" + client.random().nextLong(Long.MAX_VALUE),
                client.oneOf(REGIONS));
    }

    private static void close(Connection connection, Client client) throws SQLException, InterruptedException {
        long item = Sql.query(
                connection, "SELECT id FROM auction.items ORDER BY end_date LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED");
        Sql.update(
                connection,
                "INSERT INTO auction.old_items (item_id, name, category, seller, max_bid, nb_of_bids, end_date)"
                        + " SELECT id, name, category, seller, max_bid, nb_of_bids, end_date FROM auction.items"
                        + " WHERE id = ?",
                item);
        client.work(THINK_MILLIS);
        Sql.update(connection, "DELETE FROM auction.bids WHERE item_id = ?", item);
        Sql.update(
                connection,
                "UPDATE auction.items SET max_bid = initial_price, nb_of_bids = 0, quantity = 10,"
                        + " start_date = now(), end_date = now() + interval '7 days' WHERE id = ?",
                item);
    }

    @Override
    public void setUp(Connection connection) throws SQLException {
        Schema.ensure(connection, schema(), Auction::createTables);
    }

    private static void createTables(Connection connection) throws SQLException {
        String words = "(ARRAY['" + String.join("','", WORDS) + "'])";
        Schema.execute(
                connection,
                "CREATE TABLE auction.categories (id int PRIMARY KEY, name text NOT NULL)",
                "CREATE TABLE auction.regions (id int PRIMARY KEY, name text NOT NULL)",
                """
                CREATE TABLE auction.users (
                    id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, nickname text NOT NULL UNIQUE,
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
                    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, item_id int NOT NULL, name text NOT NULL,
                    category int NOT NULL, seller int NOT NULL, max_bid numeric NOT NULL, nb_of_bids int NOT NULL,
                    end_date timestamptz NOT NULL)""",
                """
                CREATE TABLE auction.bids (
                    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, user_id int NOT NULL REFERENCES auction.users,
                    item_id int NOT NULL REFERENCES auction.items, qty int NOT NULL, bid numeric NOT NULL,
                    max_bid numeric NOT NULL, date timestamptz NOT NULL)""",
                """
                CREATE TABLE auction.comments (
                    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
                    from_user_id int NOT NULL REFERENCES auction.users, to_user_id int NOT NULL REFERENCES auction.users,
                    item_id int NOT NULL, rating int NOT NULL, date timestamptz NOT NULL, comment text NOT NULL)""",
                """
                CREATE TABLE auction.buy_now (
                    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, buyer_id int NOT NULL REFERENCES auction.users,
                    item_id int NOT NULL REFERENCES auction.items, qty int NOT NULL, date timestamptz NOT NULL)""",
                "INSERT INTO auction.categories SELECT n, 'Category ' || n FROM generate_series(1, " + CATEGORIES
                        + ") n",
                "INSERT INTO auction.regions SELECT n, 'Region ' || n FROM generate_series(1, " + REGIONS + ") n",
                "INSERT INTO auction.users (nickname, region, rating, created)"
                        + " SELECT 'user' || n, 1 + n % " + REGIONS + ", 0, now() - n * interval '1 hour'"
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
                "INSERT INTO auction.old_items (item_id, name, category, seller, max_bid, nb_of_bids, end_date)"
                        + " SELECT n, 'sold no. ' || n, 1 + n % " + CATEGORIES + ", 1 + n % " + USERS + ", 50, 5,"
                        + " now() - n * interval '1 hour' FROM generate_series(1, 5000) n",
                "INSERT INTO auction.bids (user_id, item_id, qty, bid, max_bid, date)"
                        + " SELECT 1 + floor(random() * " + USERS + ")::int, 1 + n % " + ITEMS + ", 1, 10 + n / 100,"
                        + " 20 + n / 100, now() - n * interval '10 seconds' FROM generate_series(1, 30000) n",
                "INSERT INTO auction.comments (from_user_id, to_user_id, item_id, rating, date, comment)"
                        + " SELECT 1 + floor(random() * " + USERS + ")::int, 1 + floor(random() * random() * " + USERS
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
