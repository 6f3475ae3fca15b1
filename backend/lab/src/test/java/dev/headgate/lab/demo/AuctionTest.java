package dev.headgate.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.lab.Client;
import dev.headgate.lab.Transaction;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Iterator;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class AuctionTest {

    private static final Auction AUCTION = new Auction();
    private static EmbeddedPostgres server;
    private static Connection connection;

    private final Client client = client(11);

    @BeforeAll
    static void setUp() throws Exception {
        server = EmbeddedPostgres.builder()
                .setPGStartupWait(Duration.ofMinutes(1))
                .start();
        connection = server.getPostgresDatabase().getConnection();
        AUCTION.setUp(connection);
    }

    @AfterAll
    static void tearDown() throws Exception {
        connection.close();
        server.close();
    }

    @Test
    void thereAreNineTables() throws SQLException {
        assertThat(number("SELECT count(*) FROM pg_tables WHERE schemaname = 'auction'"))
                .isEqualTo(9);
    }

    @ParameterizedTest
    @EnumSource(Page.class)
    void pagesThatOnlyReadNeedNoMore(Page page) throws Exception {
        connection.setReadOnly(true);
        try {
            if (page.writes()) {
                assertThatThrownBy(() -> show(page, new Visitor(client)))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("25006"));
            } else {
                assertThatCode(() -> show(page, new Visitor(client))).doesNotThrowAnyException();
            }
        } finally {
            connection.setReadOnly(false);
        }
    }

    @Test
    void aBidRaisesThePriceAndIsNumbered() throws Exception {
        Visitor visitor = new Visitor(client);
        String item = "FROM auction.items WHERE id = " + visitor.item();
        long price = number("SELECT max_bid " + item);
        long bids = number("SELECT nb_of_bids " + item);
        long id = number("SELECT last_id FROM auction.ids WHERE table_name = 'bids'");

        show(Page.STORE_BID, visitor);

        assertThat(number("SELECT max_bid " + item)).isGreaterThan(price);
        assertThat(number("SELECT nb_of_bids " + item)).isEqualTo(bids + 1);
        assertThat(number("SELECT user_id FROM auction.bids WHERE id = " + (id + 1)))
                .isEqualTo(visitor.user());
        assertThat(number("SELECT last_id FROM auction.ids WHERE table_name = 'bids'"))
                .isEqualTo(id + 1);
    }

    @Test
    void whoRegistersGoesOnAsThatUser() throws Exception {
        Visitor visitor = new Visitor(client);

        show(Page.REGISTER_USER, visitor);
        show(Page.STORE_COMMENT, visitor);

        assertThat((long) visitor.user()).isEqualTo(number("SELECT max(id) FROM auction.users"));
        assertThat(number("SELECT count(*) FROM auction.comments WHERE from_user_id = " + visitor.user()))
                .isEqualTo(1);
    }

    @Test
    void aNewItemTakesThePlaceOfTheOneThatEndsFirstSoThatTheSiteStaysAsLargeAsItIs() throws Exception {
        long items = number("SELECT count(*) FROM auction.items");
        long old = number("SELECT count(*) FROM auction.old_items");
        Visitor seller = new Visitor(client);
        long ended = number("SELECT id FROM auction.items ORDER BY end_date LIMIT 1");
        for (int i = 0; i < 10; i++) {
            show(Page.REGISTER_ITEM, seller);
        }

        assertThat(number("SELECT count(*) FROM auction.items")).isEqualTo(items);
        assertThat(number("SELECT count(*) FROM auction.old_items")).isEqualTo(old + 10);
        assertThat(number("SELECT seller FROM auction.items WHERE id = " + ended))
                .isEqualTo(seller.user());
        assertThat(number("SELECT count(*) FROM auction.bids WHERE item_id = " + ended))
                .isZero();
    }

    @Test
    void seededSessionsWalkOnTheDatabaseAndEnd() throws Exception {
        long bids = number("SELECT last_id FROM auction.ids WHERE table_name = 'bids'");
        int pages = 0;
        for (int seed = 0; seed < 30; seed++) {
            Client user = client(seed);
            Iterator<Transaction> session = AUCTION.session(user);
            while (session.hasNext()) {
                session.next().commit(connection, user);
                pages++;
            }
        }
        assertThat(pages).isBetween(300, 3_000);
        assertThat(number("SELECT last_id FROM auction.ids WHERE table_name = 'bids'"))
                .isGreaterThan(bids);
    }

    /** Before there was {@code ids}, the tables numbered their rows themselves. */
    @Test
    void anEarlierVersionsTablesAreNumberedFromWhereTheyAre() throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE auction.ids");
            statement.execute("ALTER TABLE auction.bids ALTER id ADD GENERATED BY DEFAULT AS IDENTITY");
        }
        AUCTION.setUp(connection);
        long id = number("SELECT max(id) FROM auction.bids");

        show(Page.STORE_BID, new Visitor(client));

        assertThat(number("SELECT max(id) FROM auction.bids")).isEqualTo(id + 1);
    }

    private void show(Page page, Visitor visitor) throws Exception {
        Transaction transaction = (open, user) -> page.show(open, user, visitor);
        transaction.commit(connection, client);
    }

    private static Client client(long seed) {
        return new Client(new SplittableRandom(seed), nanos -> {});
    }

    private static long number(String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
