import FoundationEssentials
import Testing

@testable import SwiftPlayBackground

@Suite struct BackgroundURLRequestTests {
    private let url: URL

    init() throws { url = try #require(URL(string: "https://example.org/film.mkv")) }

    @Test func fieldsAreFoundInAnyCase() {
        var request = BackgroundURLRequest(url: url)
        request.setValue("a", forHTTPHeaderField: "X-Name")
        request.setValue("b", forHTTPHeaderField: "x-name")
        #expect(request.allHTTPHeaderFields.count == 1)
        #expect(request.value(forHTTPHeaderField: "X-NAME") == "b")
    }

    @Test func nilRemovesAField() {
        var request = BackgroundURLRequest(url: url)
        request.setValue("a", forHTTPHeaderField: "X-Name")
        request.setValue(nil, forHTTPHeaderField: "x-name")
        #expect(request.allHTTPHeaderFields.isEmpty)
    }

    @Test func fieldsOfTheSessionDoNotReplaceThoseOfTheRequest() {
        var configuration = BackgroundURLSessionConfiguration.background(withIdentifier: "a")
        configuration.httpAdditionalHeaders = ["X-Name": "session", "X-Other": "session"]
        var request = BackgroundURLRequest(url: url)
        request.setValue("request", forHTTPHeaderField: "x-name")
        let fields = request.wireRequest(configuration).fields
        #expect(fields.map(\.value).sorted() == ["request", "session"])
    }

    @Test func everyFieldIsSecret() {
        var request = BackgroundURLRequest(url: url)
        request.setValue("a", forHTTPHeaderField: "Cookie")
        #expect(request.wireRequest(.background(withIdentifier: "a")).fields.allSatisfy { $0.isSecret })
    }

    @Test(arguments: [(0, 1), (-5, 1), (1.2, 2), (.infinity, 315_360_000), (.nan, 1), (1e300, 315_360_000)])
    func timeLimitsAreClamped(_ interval: Double, _ seconds: Int64) {
        var configuration = BackgroundURLSessionConfiguration.background(withIdentifier: "a")
        configuration.timeoutIntervalForResource = interval
        #expect(configuration.wireConfiguration.resourceTimeout == seconds)
    }

    @Test func aSessionHasAtLeastOneConnection() {
        var configuration = BackgroundURLSessionConfiguration.background(withIdentifier: "a")
        configuration.httpMaximumConnectionsPerHost = -3
        #expect(configuration.wireConfiguration.connectionsPerHost == 1)
    }
}
