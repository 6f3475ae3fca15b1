package dev.headgate.server;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.server.api.Second;
import dev.headgate.server.plugins.PluginCall;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.core.ApplicationModules;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Controller;

class ArchitectureTest {

    private static final JavaClasses SERVER = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.headgate.server");

    /** Packages with more than one public component, and which: two features, and what serves all features. */
    private static final Map<String, Set<String>> SEVERAL = Map.of(
            "history", Set.of("DecisionLog", "History"),
            "policies", Set.of("ManagedSets", "Policies"),
            "access", Set.of("Access", "AdminToken", "LoginCodes"),
            "feed", Set.of("Feed", "FeedThread"),
            "limits", Set.of("Counts", "Departures", "Handshakes", "LongRequests", "RequestMemory"),
            "store", Set.of("ControlStore", "DataFolder", "EmbeddedServer", "LogSearches", "Secrets"));

    /** No feature reaches into another, and no two depend on each other in a circle. */
    @Test
    void featuresAreModules() {
        ApplicationModules.of(Headgate.class).verify();
    }

    /**
     * A thread that ends by an exception ends unheard, unless the supervisor started it. The exceptions: a replay and a trial of
     * a plugin hand what fails to the caller who waits for it, a load counts its failures, and the stop deadline ends the process.
     */
    @Test
    void everyThreadIsSupervised() {
        noClasses()
                .that()
                .doNotHaveSimpleName("Replays")
                .and()
                .doNotHaveSimpleName("PluginCall")
                .and()
                .doNotHaveSimpleName("Workloads")
                .and()
                .doNotHaveSimpleName("StopDeadline")
                .should()
                .accessTargetWhere(target(owner(assignableTo(Thread.class).or(assignableTo(Thread.Builder.class))))
                        .and(target(nameMatching("start|unstarted|startVirtualThread|factory|<init>"))))
                .orShould()
                .dependOnClassesThat(belongToAnyOf(Executors.class).or(assignableTo(AbstractExecutorService.class)))
                .check(SERVER);
    }

    @Test
    void controllersArePackagePrivate() {
        classes()
                .that()
                .areMetaAnnotatedWith(Controller.class)
                .should()
                .bePackagePrivate()
                .check(SERVER);
    }

    /** Counts whatever Spring makes, by a stereotype or by a method, and other packages can use. */
    @Test
    void aFeatureHasOnePublicComponent() {
        Stream<JavaClass> annotated = SERVER.stream()
                .filter(type -> type.isMetaAnnotatedWith(Component.class))
                .filter(type -> !type.isMetaAnnotatedWith(Configuration.class));
        Stream<JavaClass> made = SERVER.stream()
                .flatMap(type -> type.getMethods().stream())
                .filter(method -> method.isAnnotatedWith(Bean.class))
                .map(JavaMethod::getRawReturnType)
                .filter(type -> type.getPackageName().startsWith("dev.headgate.server."));
        Map<String, Set<String>> components = Stream.concat(annotated, made)
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .collect(groupingBy(
                        type -> type.getPackageName()
                                .substring(type.getPackageName().lastIndexOf('.') + 1),
                        mapping(JavaClass::getSimpleName, toSet())));
        assertThat(components).hasSizeGreaterThan(10);
        components.values().removeIf(names -> names.size() == 1);
        assertThat(components).containsExactlyInAnyOrderEntriesOf(SEVERAL);
    }

    /**
     * So no plugin's code runs on a thread that acquires or releases a lease: the governor has threads of its own, and everybody
     * else gives it one by {@code PluginCall}. The simulator has one thread for everything, and no leases but its own.
     */
    @Test
    void nobodyCallsAPolicyButTheGovernorAndAPluginCall() {
        JavaClasses house = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.headgate");
        assertThat(house.contain("dev.headgate.wire.WirePort")).isTrue();
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.headgate.engine.governor..", "dev.headgate.simulator..")
                .should()
                .accessTargetWhere(target(owner(assignableTo(Policy.class)))
                        .and(target(nameMatching("limits|observe|predictedNanos|close")))
                        .or(target(owner(assignableTo(PolicyFactory.class))).and(target(nameMatching("create"))))
                        .and(not(describe(
                                "by PluginCall",
                                access -> access.isDeclaredInLambda()
                                        && uses(access.getOriginOwner(), PluginCall.class)))))
                .check(house);
    }

    private static boolean uses(JavaClass type, Class<?> other) {
        return type.getDirectDependenciesFromSelf().stream()
                .anyMatch(dependency -> dependency.getTargetClass().isEquivalentTo(other));
    }

    /**
     * What was measured of a pool in a second, or in another time, is one {@link MergedWindow}: nothing else adds up consecutive
     * windows, neither for states and metrics nor for the history and the stream. The governor adds up several pools in one
     * window, and a guard the windows of its probation. A second of a connection is made by its meter.
     */
    @Test
    void whatASecondWasIsDefinedOnce() {
        JavaClasses house = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.headgate.engine", "dev.headgate.server", "dev.headgate.sql", "dev.headgate.wire");
        assertThat(house.contain("dev.headgate.wire.WirePort")).isTrue();
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.headgate.engine.meter")
                .and(not(nameMatching(".*[.](DatabaseState|Picture|GuardSamples)([$].*)?")))
                .should()
                .accessTargetWhere(
                        target(owner(assignableTo(Latency.class))).and(target(nameMatching("plus|sum|addTo"))))
                .because("distributions of consecutive windows are merged by MergedWindow")
                .check(house);
        noClasses()
                .that(not(belongToAnyOf(Second.class)))
                .and(not(nameMatching(".*[.]Column"))) // gives back what was kept
                .should()
                .callConstructorWhere(target(owner(assignableTo(Second.class))))
                .because("a second is made of a MergedWindow")
                .check(house);
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.headgate.engine.meter")
                .and(not(nameMatching(".*[.]Rolling([$].*)?")))
                .should()
                .callConstructorWhere(target(owner(assignableTo(ConnectionStatus.class))))
                .orShould()
                .callMethod(LatencySummary.class, "of", Latency.class, long.class)
                .because("a second of a connection is ConnectionStatus.second(), and its figures are read and not made")
                .check(house);
    }

    @Test
    void onlyStoresTalkToTheStore() {
        noClasses()
                .that()
                .haveSimpleNameEndingWith("Controller")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework.jdbc..", "java.sql..", "javax.sql..")
                .check(SERVER);
    }

    @Test
    void nobodyPrintsButTheStartup() {
        noClasses()
                .that()
                .resideOutsideOfPackage("..startup")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .check(SERVER);
    }
}
