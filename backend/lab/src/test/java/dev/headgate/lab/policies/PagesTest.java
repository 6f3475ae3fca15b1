package dev.headgate.lab.policies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.lab.Client;
import dev.headgate.lab.demo.Auction;
import dev.headgate.lab.experiment.TestLaboratory;
import dev.headgate.lab.load.Action;
import dev.headgate.spi.WhenExhausted;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PagesTest {

    /** On a real server; nothing is said of speeds. */
    @Test
    void aUserOfTheAuctionSiteIsServedPageByPageUntilTheSessionEnds() throws Exception {
        Auction auction = new Auction();
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Target target = MeasuredPools.prepare(laboratory, "pages", 6, List.of(auction));
            try (MeasuredPools pools = MeasuredPools.on(target, Supervisor.silent())) {
                Pool pool = pools.open(auction.name(), WhenExhausted.queue(30_000, 1_000), MeasuredPools.between(1, 4));
                Client user = new Client(new SplittableRandom(5), nanos -> {});
                Iterator<Action> session = new Pages(auction, pool, false, 0).begin(user);
                int pages = 0;
                while (session.hasNext()) {
                    assertThat(session.next().run(user)).isEqualTo(Action.Answer.DONE);
                    pages++;
                }
                assertThat(pages).isGreaterThan(1);
            }
        }
    }
}
