package dev.headgate.engine;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.governor.GovernedPool;
import dev.headgate.engine.governor.GuardedRunner;
import dev.headgate.engine.time.SystemTime;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.time.Instant;
import java.util.Queue;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import org.HdrHistogram.AbstractHistogram;

/** The absences that docs/architecture.md promises of the engine and the SPI, each as a rule over their classes. */
@AnalyzeClasses(
        packages = {"dev.headgate.engine", "dev.headgate.spi"},
        importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule the_spi_depends_on_the_jdk_alone = classes()
            .that()
            .resideInAPackage("dev.headgate.spi..")
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage("dev.headgate.spi..", "java.."));

    /** Written as all that is allowed, so that Spring, a web server, a wire protocol or a logger cannot slip in unnamed. */
    @ArchTest
    static final ArchRule the_engine_knows_the_jdk_the_spi_and_three_libraries = classes()
            .that()
            .resideInAPackage("dev.headgate.engine..")
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                    "dev.headgate.engine..",
                    "dev.headgate.spi..",
                    "java..",
                    "javax.sql..",
                    "javax.net..",
                    "jdk.net..",
                    "com.zaxxer.hikari..",
                    "org.HdrHistogram..",
                    "org.postgresql..",
                    "org.jspecify.."));

    @ArchTest
    static final ArchRule the_engine_speaks_no_http = noClasses()
            .that()
            .resideInAPackage("dev.headgate.engine..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.net.http..", "com.sun.net.httpserver..")
                    .or(assignableTo(URLConnection.class)));

    /** It tells its listener. (A DataSource has to name the JDK's logger in a signature, so naming it is no fault.) */
    @ArchTest
    static final ArchRule the_engine_logs_nothing = noClasses()
            .that()
            .resideInAPackage("dev.headgate.engine..")
            .should()
            .accessClassesThat()
            .resideInAnyPackage("java.util.logging..");

    @ArchTest
    static final ArchRule the_engine_loads_no_plugins = noClasses()
            .that()
            .resideInAPackage("dev.headgate.engine..")
            .should()
            .dependOnClassesThat()
            .belongToAnyOf(ServiceLoader.class, URLClassLoader.class, PolicyFactory.class);

    /**
     * The governor alone calls policies, and it runs on its own thread: so no policy runs on a thread that acquires or
     * releases a lease.
     */
    @ArchTest
    static final ArchRule only_the_governor_calls_policies = noClasses()
            .that(resideInAPackage("dev.headgate.engine..")
                    .and(resideOutsideOfPackage("dev.headgate.engine.governor..")))
            .should()
            .accessTargetWhere(target(owner(assignableTo(Policy.class))));

    private static final Set<String> DECIDES = Set.of(
            "AlarmBoard",
            "Alarms",
            "Allocator",
            "Bound",
            "Division",
            "Health",
            "Loans",
            "Picture",
            "Sentences",
            "Standing",
            "Step",
            "Verdict");

    /** What a step decides on is handed in as values: it reads no gate, no clock and no state, and changes none. */
    @ArchTest
    static final ArchRule the_deciding_part_of_a_step_is_pure = noClasses()
            .that(resideInAPackage("dev.headgate.engine.governor..")
                    .and(describe(
                            "decide",
                            type -> DECIDES.contains(type.getName()
                                    .substring(type.getPackageName().length() + 1)
                                    .split("[$]")[0]))))
            .should()
            .dependOnClassesThat(assignableTo(Gate.class)
                    .or(assignableTo(GovernedPool.class))
                    .or(assignableTo(Time.class))
                    .or(assignableTo(Policy.class))
                    .or(assignableTo(System.class))
                    .or(nameMatching(
                            ".*[.](DatabaseState|DomainState|ActiveSet|DecisionLog|Narrator|Governor|Windows)")))
            .orShould()
            .callMethod(Instant.class, "now");

    /** They use an iterator of the histogram itself, so that two readers of one histogram disturb each other. */
    @ArchTest
    static final ArchRule no_histogram_is_read_by_what_two_threads_may_not_call = noClasses()
            .should()
            .accessTargetWhere(target(owner(assignableTo(AbstractHistogram.class)))
                    .and(target(nameMatching("getMean|getStdDeviation|outputPercentileDistribution"))));

    /**
     * A thread that ends by an exception ends unheard, unless the supervisor started it. The exceptions: {@code SystemTime} and
     * {@code Housekeeping} put every task under the supervisor, {@code Engine} does it when it closes, and a failure of
     * {@code GuardedRunner}'s thread fails the step of the governor that waits for it.
     */
    @ArchTest
    static final ArchRule every_thread_is_supervised = noClasses()
            .that(resideInAPackage("dev.headgate.engine..")
                    .and(resideOutsideOfPackage("dev.headgate.engine.supervision.."))
                    .and(not(belongToAnyOf(SystemTime.class, Engine.class, Housekeeping.class, GuardedRunner.class))))
            .should()
            .accessTargetWhere(target(owner(assignableTo(Thread.class).or(assignableTo(Thread.Builder.class))))
                    .and(target(nameMatching("start|unstarted|startVirtualThread|factory|<init>"))))
            .orShould()
            .dependOnClassesThat(belongToAnyOf(Executors.class).or(assignableTo(AbstractExecutorService.class)));

    @ArchTest
    static final ArchRule no_cycles_between_the_engines_packages =
            slices().matching("dev.headgate.engine.(*)..").should().beFreeOfCycles();

    /** Several engines may live in one process, as they do in tests and in the simulator. */
    @ArchTest
    static final ArchRule static_fields_are_constants = fields().that()
            .areDeclaredInClassesThat()
            .resideInAnyPackage("dev.headgate.engine..", "dev.headgate.spi..")
            .and()
            .areStatic()
            .should()
            .beFinal()
            .andShould()
            .notHaveRawType(describe("that holds state", ArchitectureTest::holdsState));

    private static boolean holdsState(JavaClass type) {
        return type.isAssignableTo(ThreadLocal.class)
                || type.isAssignableTo(ConcurrentMap.class)
                || type.isAssignableTo(Queue.class)
                || (type.getPackageName().equals("java.util.concurrent.atomic")
                        && !type.getSimpleName().endsWith("FieldUpdater"));
    }
}
