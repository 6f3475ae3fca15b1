package dev.headgate.protocol;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.Closeable;
import java.io.File;

/** The absences that docs/architecture.md promises of this module, each as a rule over its classes. */
@AnalyzeClasses(packages = "dev.headgate.protocol", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule it_knows_the_jdk_alone = classes()
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage("dev.headgate.protocol..", "java..", "org.jspecify.."));

    /** Streams, readers and writers are all Closeable. */
    @ArchTest
    static final ArchRule it_does_no_io = noClasses()
            .should()
            .dependOnClassesThat(
                    resideInAnyPackage("java.net..", "java.nio.channels..", "java.nio.file..", "java.util.logging..")
                            .or(JavaClass.Predicates.assignableTo(File.class))
                            .or(JavaClass.Predicates.assignableTo(Closeable.class)));

    /** A regular expression recurses, and its time is not linear: neither is for a client's text. */
    @ArchTest
    static final ArchRule it_uses_no_regular_expressions =
            noClasses().should().dependOnClassesThat().resideInAnyPackage("java.util.regex..");

    @ArchTest
    static final ArchRule it_starts_no_threads_and_reads_no_clock = noClasses()
            .should()
            .dependOnClassesThat()
            .areAssignableTo(Thread.class)
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis");
}
