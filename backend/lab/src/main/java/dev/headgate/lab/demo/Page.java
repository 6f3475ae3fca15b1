package dev.headgate.lab.demo;

import dev.headgate.lab.Client;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

/**
 * The pages of the auction site, after RUBiS, and what each asks of the database. A page is one transaction. Where users go from a page is
 * in {@link Transitions}.
 *
 * <p>A page is rendered while its connection is held, as most frameworks do: 20 ms around its statements, and 5 ms between them where
 * there are several, on average.
 */
enum Page {
    /** Categories and regions, for the front page. */
    HOME(Page::home),
    /** The form for a new user, with the regions. */
    REGISTER(Page::regions),
    /** A new user. */
    REGISTER_USER(Page::registerUser, true),
    /** The menu of ways to browse. */
    BROWSE(Page::greet),
    BROWSE_CATEGORIES(Page::categories),
    /** The items of a category that end soonest; every fourth time those with two words, for which no index helps. */
    SEARCH_ITEMS_IN_CATEGORY(Page::itemsInCategory),
    BROWSE_REGIONS(Page::regions),
    BROWSE_CATEGORIES_IN_REGION(Page::categoriesInRegion),
    /** The items of one region's sellers in a category. */
    SEARCH_ITEMS_IN_REGION(Page::itemsInRegion),
    /** One item with its seller. */
    VIEW_ITEM(Page::item),
    /** A user and the comments on them. */
    VIEW_USER_INFO(Page::userInfo),
    /** The bids on an item, with the bidders' names. */
    VIEW_BID_HISTORY(Page::bidHistory),
    /** A form to log in; so are the others that end in {@code AUTH}. */
    BUY_NOW_AUTH(Page::itemName),
    BUY_NOW(Page::buyNow),
    /** One piece of the item, if two or more are left. */
    STORE_BUY_NOW(Page::storeBuyNow, true),
    PUT_BID_AUTH(Page::itemName),
    /** The form for a bid, with the highest one. */
    PUT_BID(Page::putBid),
    /** Locks the item, stores the bid, raises the item's price. */
    STORE_BID(Page::storeBid, true),
    PUT_COMMENT_AUTH(Page::otherName),
    PUT_COMMENT(Page::putComment),
    /** A comment, which changes the other user's rating. */
    STORE_COMMENT(Page::storeComment, true),
    /** A form to log in as a seller. */
    SELL(Page::greet),
    SELECT_CATEGORY_TO_SELL_ITEM(Page::selectCategoryToSell),
    SELL_ITEM_FORM(Page::categoryName),
    /** The auction that ends first becomes an old item, its bids are deleted, and the seller's item takes its place. */
    REGISTER_ITEM(Page::registerItem, true),
    ABOUT_ME_AUTH(Page::greet),
    /** The user's own bids, items, purchases and comments. */
    ABOUT_ME(Page::aboutMe);

    /** Where sessions begin. */
    static final Page FIRST = HOME;

    private static final int ROWS = 20;
    private static final double RENDER_MILLIS = 20;
    private static final double THINK_MILLIS = 5;

    /** What a page asks of the database for one visitor. */
    @FunctionalInterface
    private interface Content {
        void show(Connection connection, Client client, Visitor visitor) throws SQLException, InterruptedException;
    }

    @SuppressWarnings("ImmutableEnumChecker") // a method of this class
    private final Content content;

    private final boolean writes;

    Page(Content content) {
        this(content, false);
    }

    Page(Content content, boolean writes) {
        this.content = content;
        this.writes = writes;
    }

    /** Its name in words: "view item". */
    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** @throws IllegalArgumentException if there is none */
    static Page titled(String title) {
        for (Page page : values()) {
            if (page.title().equals(title)) {
                return page;
            }
        }
        throw new IllegalArgumentException("the auction site has no page " + title);
    }

    /** Whether it changes the database; the others only read. */
    boolean writes() {
        return writes;
    }

    /** Shows it to a visitor. */
    void show(Connection connection, Client client, Visitor visitor) throws SQLException, InterruptedException {
        content.show(connection, client, visitor);
    }

    /** The front of every page that has nothing else to ask: who is here. */
    private static void greet(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        readUser(connection, visitor.user());
        client.work(RENDER_MILLIS);
    }

    private static void home(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        readCategories(connection);
        client.work(THINK_MILLIS);
        readRegions(connection);
        client.work(RENDER_MILLIS);
    }

    private static void regions(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        readRegions(connection);
        visitor.chooseRegion(client);
        client.work(RENDER_MILLIS);
    }

    private static void categories(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        readCategories(connection);
        visitor.chooseCategory(client);
        client.work(RENDER_MILLIS);
    }

    private static void categoriesInRegion(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        Sql.query(connection, "SELECT id, name FROM auction.regions WHERE id = ?", visitor.region());
        client.work(THINK_MILLIS);
        categories(connection, client, visitor);
    }

    private static void registerUser(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        client.work(RENDER_MILLIS);
        int number = (int) nextId(connection, "users");
        Sql.update(
                connection,
                "INSERT INTO auction.users (id, nickname, region, rating, created) VALUES (?, ?, ?, 0, now())",
                number,
                "guest" + number,
                visitor.region());
        visitor.registeredAs(number);
    }

    private static void itemsInCategory(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        if (client.oneOf(4) == 1) {
            Sql.query(
                    connection,
                    "SELECT id, name, max_bid, end_date FROM auction.items"
                            + " WHERE description ILIKE ? ORDER BY end_date LIMIT ?",
                    "%" + Auction.word(client) + "%" + Auction.word(client) + "%",
                    ROWS);
        } else {
            Sql.query(connection, "SELECT count(*) FROM auction.items WHERE category = ?", visitor.category());
            client.work(THINK_MILLIS);
            Sql.query(
                    connection,
                    "SELECT id, name, initial_price, max_bid, nb_of_bids, end_date FROM auction.items"
                            + " WHERE category = ? ORDER BY end_date LIMIT ? OFFSET ?",
                    visitor.category(),
                    ROWS,
                    ROWS * client.random().nextInt(3));
        }
        visitor.chooseItem(client);
        client.work(RENDER_MILLIS);
    }

    private static void itemsInRegion(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        Sql.query(
                connection,
                "SELECT i.id, i.name, i.max_bid, i.end_date FROM auction.items i JOIN auction.users u ON u.id = i.seller"
                        + " WHERE u.region = ? AND i.category = ? ORDER BY i.end_date LIMIT ?",
                visitor.region(),
                visitor.category(),
                ROWS);
        visitor.chooseItem(client);
        client.work(RENDER_MILLIS);
    }

    private static void item(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        long seller = Sql.query(
                connection,
                "SELECT seller, name, description, quantity, max_bid, nb_of_bids, end_date FROM auction.items"
                        + " WHERE id = ?",
                visitor.item());
        client.work(THINK_MILLIS);
        readUser(connection, (int) seller);
        visitor.meet((int) seller);
        client.work(RENDER_MILLIS);
    }

    private static void userInfo(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        readUser(connection, visitor.other());
        client.work(THINK_MILLIS);
        Sql.query(
                connection,
                "SELECT c.id, u.nickname, c.rating, c.comment FROM auction.comments c"
                        + " JOIN auction.users u ON u.id = c.from_user_id"
                        + " WHERE c.to_user_id = ? ORDER BY c.date DESC LIMIT ?",
                visitor.other(),
                ROWS);
        client.work(RENDER_MILLIS);
    }

    private static void bidHistory(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        Sql.query(
                connection,
                "SELECT b.id, u.nickname, b.bid, b.date FROM auction.bids b JOIN auction.users u ON u.id = b.user_id"
                        + " WHERE b.item_id = ? ORDER BY b.bid DESC LIMIT 50",
                visitor.item());
        client.work(RENDER_MILLIS);
    }

    private static void itemName(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        readItem(connection, visitor.item());
        client.work(RENDER_MILLIS);
    }

    private static void buyNow(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        readUser(connection, visitor.user());
        client.work(THINK_MILLIS);
        readItem(connection, visitor.item());
        client.work(RENDER_MILLIS);
    }

    private static void storeBuyNow(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        client.work(RENDER_MILLIS);
        int left = Sql.update(
                connection,
                "UPDATE auction.items SET quantity = quantity - 1 WHERE id = ? AND quantity > 1",
                visitor.item());
        if (left == 1) {
            Sql.update(
                    connection,
                    "INSERT INTO auction.buy_now (id, buyer_id, item_id, qty, date) VALUES (?, ?, ?, 1, now())",
                    nextId(connection, "buy_now"),
                    visitor.user(),
                    visitor.item());
        }
    }

    private static void putBid(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        readUser(connection, visitor.user());
        client.work(THINK_MILLIS);
        readItem(connection, visitor.item());
        Sql.query(connection, "SELECT max(bid), count(*) FROM auction.bids WHERE item_id = ?", visitor.item());
        client.work(RENDER_MILLIS);
    }

    private static void storeBid(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        readUser(connection, visitor.user());
        client.work(RENDER_MILLIS);
        long price = Sql.query(
                connection, "SELECT max_bid::bigint FROM auction.items WHERE id = ? FOR NO KEY UPDATE", visitor.item());
        client.work(THINK_MILLIS);
        long bid = price + client.oneOf(10);
        Sql.update(
                connection,
                "INSERT INTO auction.bids (id, user_id, item_id, qty, bid, max_bid, date) VALUES (?, ?, ?, 1, ?, ?, now())",
                nextId(connection, "bids"),
                visitor.user(),
                visitor.item(),
                bid,
                bid + 10);
        Sql.update(
                connection,
                "UPDATE auction.items SET max_bid = ?, nb_of_bids = nb_of_bids + 1 WHERE id = ?",
                bid,
                visitor.item());
    }

    private static void otherName(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        readUser(connection, visitor.other());
        client.work(RENDER_MILLIS);
    }

    private static void putComment(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        readUser(connection, visitor.user());
        client.work(THINK_MILLIS);
        readUser(connection, visitor.other());
        readItem(connection, visitor.item());
        client.work(RENDER_MILLIS);
    }

    private static void storeComment(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        int rating = client.random().nextInt(-5, 6);
        client.work(RENDER_MILLIS);
        Sql.update(connection, "UPDATE auction.users SET rating = rating + ? WHERE id = ?", rating, visitor.other());
        Sql.update(
                connection,
                "INSERT INTO auction.comments (id, from_user_id, to_user_id, item_id, rating, date, comment)"
                        + " VALUES (?, ?, ?, ?, ?, now(), ?)",
                nextId(connection, "comments"),
                visitor.user(),
                visitor.other(),
                visitor.item(),
                rating,
                "As described, well packed, quickly sent.");
    }

    private static void selectCategoryToSell(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        readUser(connection, visitor.user());
        client.work(THINK_MILLIS);
        categories(connection, client, visitor);
    }

    private static void categoryName(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        Sql.query(connection, "SELECT id, name FROM auction.categories WHERE id = ?", visitor.category());
        client.work(RENDER_MILLIS);
    }

    private static void registerItem(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        long ended = Sql.query(
                connection, "SELECT id FROM auction.items ORDER BY end_date LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED");
        client.work(THINK_MILLIS);
        Sql.update(connection, "DELETE FROM auction.bids WHERE item_id = ?", ended);
        Sql.update(
                connection,
                "INSERT INTO auction.old_items (id, item_id, name, category, seller, max_bid, nb_of_bids, end_date)"
                        + " SELECT ?, id, name, category, seller, max_bid, nb_of_bids, end_date FROM auction.items"
                        + " WHERE id = ?",
                nextId(connection, "old_items"),
                ended);
        Sql.update(
                connection,
                "UPDATE auction.items SET seller = ?, category = ?, max_bid = initial_price, nb_of_bids = 0, quantity = 10,"
                        + " start_date = now(), end_date = now() + interval '7 days' WHERE id = ?",
                visitor.user(),
                visitor.category(),
                ended);
    }

    private static void aboutMe(Connection connection, Client client, Visitor visitor)
            throws SQLException, InterruptedException {
        int me = visitor.user();
        readUser(connection, me);
        Sql.query(
                connection,
                "SELECT i.id, i.name, i.max_bid, b.bid FROM auction.bids b JOIN auction.items i ON i.id = b.item_id"
                        + " WHERE b.user_id = ? LIMIT ?",
                me,
                ROWS);
        client.work(THINK_MILLIS);
        Sql.query(
                connection,
                "SELECT id, name, max_bid, end_date FROM auction.items WHERE seller = ? ORDER BY end_date LIMIT ?",
                me,
                ROWS);
        Sql.query(
                connection,
                "SELECT i.id, i.name, n.date FROM auction.buy_now n JOIN auction.items i ON i.id = n.item_id"
                        + " WHERE n.buyer_id = ? LIMIT ?",
                me,
                ROWS);
        Sql.query(
                connection,
                "SELECT id, from_user_id, rating, comment FROM auction.comments WHERE to_user_id = ?"
                        + " ORDER BY date DESC LIMIT ?",
                me,
                ROWS);
        visitor.chooseItem(client);
        client.work(RENDER_MILLIS);
    }

    private static void readCategories(Connection connection) throws SQLException {
        Sql.query(connection, "SELECT id, name FROM auction.categories ORDER BY name");
    }

    private static void readRegions(Connection connection) throws SQLException {
        Sql.query(connection, "SELECT id, name FROM auction.regions ORDER BY name");
    }

    private static void readUser(Connection connection, int user) throws SQLException {
        Sql.query(connection, "SELECT id, nickname, rating, created FROM auction.users WHERE id = ?", user);
    }

    private static void readItem(Connection connection, int item) throws SQLException {
        Sql.query(connection, "SELECT id, name, max_bid, quantity FROM auction.items WHERE id = ?", item);
    }

    /**
     * The number of a new row. All who add to a table meet at its counter, until they commit: so it is asked for late, and of one table in
     * a transaction.
     */
    private static long nextId(Connection connection, String table) throws SQLException {
        return Sql.query(
                connection,
                "UPDATE auction.ids SET last_id = last_id + 1 WHERE table_name = ? RETURNING last_id",
                table);
    }
}
