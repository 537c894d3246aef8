import Testing

@testable import TransferPolicy

@Suite struct ContentValidatorsTests {
    @Test(arguments: [
        ("\"a\"", true), ("\"\"", true), ("W/\"a\"", false), ("w/\"a\"", false), ("a", false), ("\"", false),
    ])
    func onlyQuotedTagsWithoutWAreStrong(_ tag: String, _ isStrong: Bool) {
        #expect((ContentValidators(entityTag: tag).strongTag != nil) == isStrong)
    }

    @Test(arguments: [(59, false), (60, true), (-5, false)] as [(Int64, Bool)])
    func aDateIsStrongIfTheResponseIsAMinuteYounger(_ age: Int64, _ isStrong: Bool) {
        let validators = ContentValidators(
            lastModified: HTTPDate.text(secondsSince1970: ReplyFixture.now - age), date: ReplyFixture.date)
        #expect((validators.strongDate != nil) == isStrong)
    }

    @Test func aDateWithoutTheDateOfTheResponseIsWeak() {
        #expect(ContentValidators(lastModified: ReplyFixture.oldDate).strongDate == nil)
    }

    @Test func differentTagsContradict() {
        let validators = ContentValidators(entityTag: "\"a\"")
        #expect(validators.contradicts(ContentValidators(entityTag: "\"b\"")))
        #expect(!validators.contradicts(ContentValidators(entityTag: "\"a\"")))
        #expect(!validators.contradicts(ContentValidators()))
    }

    @Test func differentDatesContradictUnlessTheTagsAreEqual() {
        let validators = ContentValidators(entityTag: "\"a\"", lastModified: ReplyFixture.oldDate)
        #expect(validators.contradicts(ContentValidators(lastModified: ReplyFixture.date)))
        #expect(!validators.contradicts(ContentValidators(entityTag: "\"a\"", lastModified: ReplyFixture.date)))
    }

    @Test func weakTagsNeverMatchStrongly() {
        let weak = ContentValidators(entityTag: "W/\"a\"")
        #expect(!weak.stronglyMatches(weak))
        #expect(weak.matches(weak))
    }

    @Test func absentValidatorsDoNotMatch() { #expect(!ContentValidators().matches(ContentValidators())) }
}
