package dev.headgate.lab;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.supervision.Supervisor;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executors;

/** The walls of the lab. The service runs experiments in its own process, so its rule for threads holds for them. */
@AnalyzeClasses(packages = "dev.headgate.lab", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    /** Hand what fails to the thread that waits for it. */
    private static final Set<String> AWAITED =
            Set.of("Fan", "FetchLoop", "JdbcWay", "PortalPage", "Readers", "ScaleUp", "SideBySide");

    /** Loads: count what fails. A link of which a thread fails closes itself, so what is measured over it fails. */
    private static final Set<String> COUNTED = Set.of("ClosedLoop", "DelayedLink", "HttpConnections", "OpenLoop");

    /** Programs of a process of their own. */
    private static final Set<String> PROGRAMS = Set.of("DoomedProcess", "LinkProgram", "WebServer");

    /** A thread that ends by an exception ends unheard, unless the supervisor started it. */
    @ArchTest
    static final ArchRule every_thread_is_supervised = noClasses()
            .that(describe(
                    "are no exception",
                    type -> !AWAITED.contains(file(type.getName()))
                            && !COUNTED.contains(file(type.getName()))
                            && !PROGRAMS.contains(file(type.getName()))))
            .should()
            .accessTargetWhere(target(owner(assignableTo(Thread.class).or(assignableTo(Thread.Builder.class))))
                    .and(target(nameMatching("start|unstarted|startVirtualThread|factory|<init>"))))
            .orShould()
            .dependOnClassesThat(belongToAnyOf(Executors.class).or(assignableTo(AbstractExecutorService.class)));

    /** An engine has threads and timers too. */
    @ArchTest
    static final ArchRule every_engine_has_the_runs_supervisor = noClasses()
            .that(describe("are no program", type -> !PROGRAMS.contains(file(type.getName()))))
            .should()
            .callMethod(Engine.class, "start", String.class, EngineListener.class)
            .orShould()
            .callMethod(Supervisor.class, "silent");

    /** They are on its class path, because {@code sql} stands on them; the pom alone does not keep them out. */
    @ArchTest
    static final ArchRule the_lab_knows_neither_the_wire_port_nor_its_protocol = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.headgate.wire..", "dev.headgate.protocol..");

    private static String file(String name) {
        return name.substring(name.lastIndexOf('.') + 1).split("[$]")[0];
    }
}
