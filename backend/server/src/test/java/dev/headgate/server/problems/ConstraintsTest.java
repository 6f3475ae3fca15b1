package dev.headgate.server.problems;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaParameter;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import jakarta.validation.constraints.Pattern;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ConstraintsTest {

    @Test
    void everyPatternOfARequestIsToldInWords() {
        Set<String> patterns = new TreeSet<>();
        for (JavaClass each : new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.headgate.server")) {
            for (JavaField field : each.getFields()) {
                field.tryGetAnnotationOfType(Pattern.class).ifPresent(pattern -> patterns.add(pattern.regexp()));
            }
            for (JavaMethod method : each.getMethods()) {
                for (JavaParameter parameter : method.getParameters()) {
                    parameter
                            .tryGetAnnotationOfType(Pattern.class)
                            .ifPresent(pattern -> patterns.add(pattern.regexp()));
                }
            }
        }
        assertThat(patterns).hasSizeGreaterThan(10).containsAll(Constraints.WORDS.keySet());
        assertThat(patterns)
                .allSatisfy(regexp -> assertThat(Constraints.pattern(regexp))
                        .as(regexp)
                        .isNotNull()
                        .doesNotContainPattern("[\\[\\]{}\\\\^$|]"));
    }

    @Test
    void aChoiceIsToldAsAList() {
        assertThat(Constraints.pattern("^(deploy|failover|note)$")).isEqualTo("deploy, failover, note");
    }

    @Test
    void anUnknownPatternIsNotShown() {
        assertThat(Constraints.pattern("^x+$")).isNull();
    }
}
