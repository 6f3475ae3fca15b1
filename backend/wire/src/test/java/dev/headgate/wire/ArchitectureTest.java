package dev.headgate.wire;

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
import dev.headgate.wire.loop.Loop;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executors;

/** The walls of the wire port. */
@AnalyzeClasses(packages = "dev.headgate.wire", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

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
}
