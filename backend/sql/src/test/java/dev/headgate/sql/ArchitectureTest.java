package dev.headgate.sql;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.net.URLConnection;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executors;

/** The walls of the SQL engine. */
@AnalyzeClasses(packages = "dev.headgate.sql", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule no_thread_is_started_here = noClasses()
            .should()
            .accessTargetWhere(target(owner(assignableTo(Thread.class).or(assignableTo(Thread.Builder.class))))
                    .and(target(nameMatching("start|unstarted|startVirtualThread|factory|<init>"))))
            .orShould()
            .dependOnClassesThat(belongToAnyOf(Executors.class).or(assignableTo(AbstractExecutorService.class)));

    /** Its callers do; a class of the JDK for it would pass the poms. */
    @ArchTest
    static final ArchRule sql_knows_no_http = noClasses()
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.net.http..", "com.sun.net.httpserver..", "jakarta.servlet..")
                    .or(assignableTo(URLConnection.class)));
}
