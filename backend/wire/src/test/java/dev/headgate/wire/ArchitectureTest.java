package dev.headgate.wire;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.headgate.wire.loop.Loop;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.reflect.AccessFlag;
import java.net.URLConnection;
import java.time.Duration;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The walls of the wire port. */
@AnalyzeClasses(packages = "dev.headgate.wire", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final DescribedPredicate<JavaClass> are_of_the_session =
            resideInAPackage("dev.headgate.wire.session..").as("are of the session");

    private static final ArchCondition<JavaClass> enter_a_monitor = new ArchCondition<>("enter a monitor") {
        @Override
        public void check(JavaClass each, ConditionEvents events) {
            for (MethodModel method : modelOf(each).methods()) {
                boolean enters = method.flags().has(AccessFlag.SYNCHRONIZED)
                        || method.code().stream()
                                .flatMap(code -> code.elementStream())
                                .anyMatch(MonitorInstruction.class::isInstance);
                String name = each.getName() + "." + method.methodName().stringValue();
                events.add(new SimpleConditionEvent(
                        each, enters, name + (enters ? " enters" : " does not enter") + " a monitor"));
            }
        }
    };

    private static ClassModel modelOf(JavaClass each) {
        try (InputStream bytes = each.getSource().orElseThrow().getUri().toURL().openStream()) {
            return ClassFile.of().parse(bytes.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The exception is {@code Loop}: it needs a thread of its own class, and runs it under the supervisor itself. */
    @ArchTest
    static final ArchRule every_thread_is_supervised = noClasses()
            .that()
            .doNotBelongToAnyOf(Loop.class)
            .should()
            .accessTargetWhere(target(owner(assignableTo(Thread.class).or(assignableTo(Thread.Builder.class))))
                    .and(target(nameMatching("start|unstarted|startVirtualThread|factory|<init>"))))
            .orShould()
            .dependOnClassesThat(belongToAnyOf(Executors.class).or(assignableTo(AbstractExecutorService.class)));

    /** Its callers do; a class of the JDK for it would pass the poms. */
    @ArchTest
    static final ArchRule the_wire_port_knows_no_http = noClasses()
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.net.http..", "com.sun.net.httpserver..", "jakarta.servlet..")
                    .or(assignableTo(URLConnection.class)));

    /** Streams, readers and writers are all Closeable. */
    @ArchTest
    static final ArchRule a_session_does_no_io = noClasses()
            .that(are_of_the_session)
            .should()
            .dependOnClassesThat(
                    resideInAnyPackage("java.net..", "java.nio.channels..", "java.nio.file..", "java.util.logging..")
                            .or(assignableTo(File.class))
                            .or(assignableTo(Closeable.class)));

    /** A regular expression recurses, and its time is not linear: neither is for a client's text. */
    @ArchTest
    static final ArchRule a_session_uses_no_regular_expressions = noClasses()
            .that(are_of_the_session)
            .should()
            .dependOnClassesThat(resideInAPackage("java.util.regex.."))
            .orShould()
            .callMethodWhere(target(owner(assignableTo(String.class)))
                    .and(target(nameMatching("matches|split|splitWithDelimiters|replaceAll|replaceFirst"))));

    /** Its surroundings tell it the time. */
    @ArchTest
    static final ArchRule a_session_reads_no_clock_and_starts_no_threads = noClasses()
            .that(are_of_the_session)
            .should()
            .dependOnClassesThat(assignableTo(Thread.class)
                    .or(resideInAnyPackage("java.time..", "dev.headgate.engine.time..")
                            .and(not(belongToAnyOf(Duration.class)))))
            .orShould()
            .callMethodWhere(
                    target(owner(equivalentTo(System.class))).and(target(nameMatching("nanoTime|currentTimeMillis"))));

    /** Of what threads use together it has numbers alone. */
    @ArchTest
    static final ArchRule a_session_takes_no_lock = noClasses()
            .that(are_of_the_session)
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.util.concurrent", "java.util.concurrent.locks")
                    .and(not(belongToAnyOf(TimeUnit.class))))
            .orShould(enter_a_monitor);
}
