package dev.headgate.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headgate.lab.Mix;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TransitionsTest {

    private static final int SESSIONS = 200;

    private final Transitions transitions = Transitions.load();

    @Test
    void thereAre27PagesAndTheWaysFromEachSumToOne() {
        assertThat(Page.values()).hasSize(27);
        for (Page page : Page.values()) {
            Transitions.Row row = transitions.from(page);
            double links = row.links().values().stream()
                    .mapToDouble(Double::doubleValue)
                    .sum();
            assertThat(links + row.back() + row.leave()).as(page.title()).isCloseTo(1, within(1e-12));
        }
    }

    @Test
    void linksLeadToEveryPage() {
        Set<Page> reached = EnumSet.of(Page.FIRST);
        Deque<Page> unread = new ArrayDeque<>(reached);
        while (!unread.isEmpty()) {
            for (Page next : transitions.from(unread.pop()).links().keySet()) {
                if (reached.add(next)) {
                    unread.push(next);
                }
            }
        }
        assertThat(reached).containsExactlyInAnyOrder(Page.values());
    }

    /** Nobody sends a form again by going back. */
    @Test
    void noWayBackLeadsToAPageThatWrites() {
        for (Page page : Page.values()) {
            if (page.writes()) {
                assertThat(transitions.from(page).back()).as(page.title()).isZero();
                assertThat(transitions.from(page).links().keySet())
                        .as("after " + page.title())
                        .allMatch(next -> transitions.from(next).back() == 0);
            }
        }
    }

    @Test
    void thePagesOfSeededSessionsAgreeWithTheStationaryShares() {
        Map<Page, Double> visits = transitions.visits();
        double perSession = Auction.pagesPerSession();
        Map<Page, Integer> shown = new EnumMap<>(Page.class);
        int all = 0;
        for (List<Page> session : sessions()) {
            session.forEach(page -> shown.merge(page, 1, Integer::sum));
            all += session.size();
        }
        assertThat(all / (double) SESSIONS).isCloseTo(perSession, within(0.1 * perSession));
        for (Page page : Page.values()) {
            double share = shown.getOrDefault(page, 0) / (double) all;
            assertThat(share).as(page.title()).isCloseTo(visits.get(page) / perSession, within(0.015));
        }
    }

    @Test
    void theMixOfRequestsHasTheStationaryShares() {
        Map<Page, Double> visits = transitions.visits();
        for (Mix.Entry entry : new Auction().mix().entries()) {
            assertThat(entry.weight() / 100_000.0)
                    .as(entry.holder())
                    .isCloseTo(visits.get(Page.titled(entry.holder())) / Auction.pagesPerSession(), within(1e-5));
        }
    }

    @Test
    void sessionsBeginAtTheFirstPageAndEnd() {
        List<List<Page>> sessions = sessions();
        assertThat(sessions).allMatch(session -> session.getFirst() == Page.FIRST && session.size() < 500);
        assertThat(sessions).isEqualTo(sessions());
    }

    @Test
    void backShowsThePageBeforeOnceMore() {
        Walk walk = new Walk(
                changed("home: browse categories 1", "browse categories: browse 1", "browse: back 1"),
                new SplittableRandom(1));
        assertThat(List.of(walk.next(), walk.next(), walk.next(), walk.next(), walk.next()))
                .containsExactly(Page.HOME, Page.BROWSE_CATEGORIES, Page.BROWSE, Page.BROWSE_CATEGORIES, Page.BROWSE);
    }

    @Test
    void faultsAreRefusedWithTheirPage() {
        assertRefused("home has ways that sum to 0.9, not to 1", "home: browse 0.4, leave 0.5");
        assertRefused("home has a way with probability -0.5", "home: browse 1.5, leave -0.5");
        assertRefused("home has a way without a probability: browse", "home: browse");
        assertRefused("home is the first page, there is no way back from it", "home: browse 0.5, back 0.5");
        assertRefused("the auction site has no page wish list", "home: wish list 1");
        assertThatThrownBy(() -> Transitions.of(List.of("home: leave 1"))).hasMessage("register has no row");
        assertThatThrownBy(() -> Transitions.of(List.of("home: leave 1", "home: leave 1")))
                .hasMessage("home has two rows");
    }

    private static void assertRefused(String message, String row) {
        assertThatThrownBy(() -> changed(row))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    /** From every other page users leave. */
    private static Transitions changed(String... rows) {
        List<String> lines = new ArrayList<>(List.of(rows));
        for (Page page : Page.values()) {
            if (lines.stream().noneMatch(line -> line.startsWith(page.title() + ":"))) {
                lines.add(page.title() + ": leave 1");
            }
        }
        return Transitions.of(lines);
    }

    private List<List<Page>> sessions() {
        SplittableRandom seeds = new SplittableRandom(27);
        List<List<Page>> sessions = new ArrayList<>();
        for (int i = 0; i < SESSIONS; i++) {
            List<Page> pages = new ArrayList<>();
            new Walk(transitions, seeds.split()).forEachRemaining(pages::add);
            sessions.add(pages);
        }
        return sessions;
    }
}
