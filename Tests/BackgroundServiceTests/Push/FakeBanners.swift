import PushPolicy

@testable import BackgroundService

/// Records what is shown and planned.
final class FakeBanners: BannerShowing {
    /// The texts of the shown banners.
    private(set) var shown: [String] = []
    /// The planned banners by the keys of their notifications.
    private(set) var planned: [Int64: PushAlert] = [:]

    func show(_ alert: PushAlert, of program: String) { shown.append("\(program): \(alert.title): \(alert.body)") }
    func add(_ alert: PushAlert, of program: String, id: Int64) { planned[id] = alert }
    func handleCompletion(id: Int64) { if let alert = planned.removeValue(forKey: id) { show(alert, of: "player") } }
    func remove(id: Int64) { planned[id] = nil }
}
