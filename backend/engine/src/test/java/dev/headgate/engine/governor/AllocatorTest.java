package dev.headgate.engine.governor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.governor.Allocator.Claim;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllocatorTest {

    private static Claim claim(int floor, int guaranteed, int demand, int keep, int ceiling, double weight) {
        return new Claim(floor, guaranteed, demand, keep, ceiling, weight, 0, 0);
    }

    @Test
    void givesEveryoneWhatTheyWantWhereThereIsEnough() {
        assertThat(Allocator.allocate(20, List.of(claim(2, 0, 5, 0, 10, 1), claim(0, 0, 7, 0, 10, 1))))
                .containsExactly(5, 7);
    }

    @Test
    void keepsFloorsOpenWithoutDemand() {
        assertThat(Allocator.allocate(20, List.of(claim(4, 0, 0, 0, 10, 1)))).containsExactly(4);
    }

    @Test
    void paysGuaranteesBeforeWishes() {
        assertThat(Allocator.allocate(10, List.of(claim(0, 8, 12, 0, 20, 1), claim(0, 0, 50, 0, 50, 4))))
                .containsExactly(8, 2);
    }

    @Test
    void lendsAGuaranteeThatIsNotUsed() {
        assertThat(Allocator.allocate(10, List.of(claim(0, 8, 1, 0, 20, 1), claim(0, 0, 50, 0, 50, 1))))
                .containsExactly(1, 9);
    }

    @Test
    void sharesScarcityByWeight() {
        assertThat(Allocator.allocate(12, List.of(claim(0, 0, 50, 0, 50, 2), claim(0, 0, 50, 0, 50, 1))))
                .containsExactly(8, 4);
    }

    @Test
    void givesWhatOneDoesNotNeedToTheOthers() {
        assertThat(Allocator.allocate(
                        12, List.of(claim(0, 0, 1, 0, 50, 1), claim(0, 0, 50, 0, 50, 1), claim(0, 0, 50, 0, 50, 1))))
                .containsExactly(1, 6, 5);
    }

    @Test
    void letsIdleConnectionsStandOnlyWhereNobodyElseWantsTheirPlace() {
        assertThat(Allocator.allocate(10, List.of(claim(0, 0, 1, 8, 10, 1), claim(0, 0, 2, 0, 10, 1))))
                .containsExactly(8, 2);
        assertThat(Allocator.allocate(10, List.of(claim(0, 0, 1, 8, 10, 1), claim(0, 0, 7, 0, 10, 1))))
                .containsExactly(3, 7);
    }

    @Test
    void dividesEvenWhatDoesNotCoverTheFloors() {
        assertThat(Allocator.allocate(4, List.of(claim(4, 0, 9, 0, 9, 1), claim(4, 0, 9, 0, 9, 1))))
                .containsExactly(2, 2);
    }

    @Test
    void keepsNobodyFromWorkForAnothersIdleFloor() {
        assertThat(Allocator.allocate(4, List.of(claim(4, 0, 0, 0, 9, 1), claim(0, 0, 5, 0, 9, 1))))
                .containsExactly(3, 1);
    }

    @Test
    void givesTheLastConnectionToWhoeverWaitedLongest() {
        assertThat(Allocator.allocate(
                        1, List.of(new Claim(0, 0, 5, 0, 9, 1, 1, 10), new Claim(0, 0, 5, 0, 9, 1, 0, 20))))
                .containsExactly(0, 1);
    }

    @Test
    void movesNoConnectionToSettleATie() {
        assertThat(Allocator.allocate(
                        7, List.of(new Claim(0, 0, 9, 0, 9, 1, 3, 50), new Claim(0, 0, 9, 0, 9, 1, 4, 10))))
                .containsExactly(3, 4);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void isWeightedMaxMinFairWithinEveryLevel(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            int total = random.nextInt(60);
            List<Claim> claims = new ArrayList<>();
            for (int i = 1 + random.nextInt(8); i > 0; i--) {
                claims.add(claim(
                        random.nextInt(6),
                        random.nextInt(12),
                        random.nextInt(30),
                        random.nextInt(15),
                        random.nextInt(25),
                        1 + random.nextInt(4)));
            }
            int[] shares = Allocator.allocate(total, claims);

            assertThat(Arrays.stream(shares).sum()).isLessThanOrEqualTo(total);
            boolean someoneShort = false;
            for (int i = 0; i < shares.length; i++) {
                Claim c = claims.get(i);
                assertThat(shares[i]).isBetween(0, c.ceiling());
                someoneShort |= shares[i] < Math.min(c.ceiling(), Math.max(c.floor(), c.demand()));
            }
            if (someoneShort) {
                assertThat(Arrays.stream(shares).sum())
                        .as("nothing is left while someone is short")
                        .isEqualTo(total);
            }
            for (int poor = 0; poor < shares.length; poor++) {
                Claim p = claims.get(poor);
                boolean wants = shares[poor] < Math.min(p.ceiling(), p.demand());
                for (int rich = 0; wants && rich < shares.length; rich++) {
                    Claim r = claims.get(rich);
                    int entitled = Math.min(
                            r.ceiling(), Math.max(1, Math.max(r.floor(), Math.min(r.guaranteed(), r.demand()))));
                    if (rich != poor && shares[rich] > entitled) {
                        assertThat((shares[rich] - 1) / r.weight())
                                .as("nobody has more for its weight beyond what is owed, in %s of %s", claims, total)
                                .isLessThanOrEqualTo(shares[poor] / p.weight() + 1e-9);
                    }
                }
            }
            assertThat(Allocator.allocate(total, claims)).containsExactly(shares);
        }
    }
}
