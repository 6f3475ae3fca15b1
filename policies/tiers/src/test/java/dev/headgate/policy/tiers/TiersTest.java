package dev.headgate.policy.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.InvalidParametersException.Fault;
import dev.headgate.spi.Limits;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.spi.Tier;
import dev.headgate.testkit.PolicyContract;
import dev.headgate.testkit.PoolViews;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TiersTest extends PolicyContract {

    @Override
    protected PolicyFactory factory() {
        return new TiersFactory();
    }

    @Override
    protected List<Map<String, Object>> variants() {
        return List.of(
                Map.of("tier", "gold", "guaranteed", 10, "weight", 3.5),
                Map.of("tier", "bronze", "borrowLimit", 4),
                Map.of("tier", "silver", "guaranteed", 10, "borrowLimit", 0));
    }

    @Test
    void restrictsNothingButTheStandingWhereNoBorrowLimitIsGiven() {
        Limits limits = answer(Map.of("tier", "gold", "guaranteed", 10));
        assertThat(limits.tier()).isEqualTo(Tier.GOLD);
        assertThat(limits.guaranteed()).isEqualTo(10);
        assertThat(limits.weight()).isEqualTo(4);
        assertThat(limits.ceiling()).isEqualTo(Limits.UNSPECIFIED);
        assertThat(limits.floor())
                .as("a guarantee is owed on demand, not kept open")
                .isZero();
        assertThat(limits.reason()).isEqualTo("Gold: 10 guaranteed, as many more as the database can spare.");
    }

    @Test
    void holdsTheGuaranteeAndTheBorrowLimitTogether() {
        Limits limits = answer(Map.of("tier", "silver", "guaranteed", 10, "borrowLimit", 5));
        assertThat(limits.ceiling()).isEqualTo(15);
        assertThat(limits.reason()).isEqualTo("Silver: at most 15, which is 10 guaranteed and 5 borrowed.");
    }

    @Test
    void weighsByTierUnlessAWeightIsGiven() {
        assertThat(answer(Map.of("tier", "silver")).weight()).isEqualTo(2);
        assertThat(answer(Map.of("tier", "bronze")).weight()).isEqualTo(1);
        assertThat(answer(Map.of("tier", "bronze", "weight", 7)).weight()).isEqualTo(7);
    }

    @Test
    void refusesADomainThatCouldNeverConnectAndATierThatIsNone() {
        assertThatThrownBy(() -> answer(Map.of("tier", "platinum", "borrowLimit", 0)))
                .isInstanceOfSatisfying(
                        InvalidParametersException.class,
                        e -> assertThat(e.faults())
                                .containsExactly(
                                        new Fault("tier", "must be gold, silver or bronze, was platinum"),
                                        new Fault(
                                                "borrowLimit",
                                                "must be at least 1 where guaranteed is 0, was 0: the domain could never connect")));
    }

    private Limits answer(Map<String, Object> parameters) {
        return policy(parameters).limits(PoolViews.of(0, 0, 0));
    }
}
