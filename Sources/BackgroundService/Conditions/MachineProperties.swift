import DesktopBus
import TransferPolicy

/// The properties of the services of the system bus. A service that does not run has no values.
struct MachineProperties: Equatable {
    /// The properties of NetworkManager.
    var network: [String: BusValue] = [:]
    /// The properties of UPower.
    var power: [String: BusValue] = [:]
    /// The properties of the battery that UPower shows to the user: all batteries of the machine as one.
    var battery: [String: BusValue] = [:]
    /// The properties of the service of power profiles.
    var profile: [String: BusValue] = [:]
}

extension MachineConditions {
    /// Creates the conditions that the services of the system report. A condition that no service reports permits
    /// transfers.
    init(_ properties: MachineProperties) {
        self.init()
        connectivity = Self.connectivity(properties.network)
        isMetered = Self.isMetered(properties.network)
        power = Self.power(properties.power, battery: properties.battery)
        savesPower = properties.profile["ActiveProfile"]?.text == "power-saver"
    }

    /// See `NMConnectivityState` and `NMState` in the reference of NetworkManager's D-Bus interface.
    private static func connectivity(_ properties: [String: BusValue]) -> Connectivity {
        switch properties["Connectivity"]?.integer {
        case 1: return .offline
        case 2: return .portal
        case 3: return .limited
        case 4: return .full
        default: break
        }
        // Unknown: the checks are switched off, or the first one has not ended.
        let isConnectedToSite: Int64 = 60
        guard let state = properties["State"]?.integer else { return .full }
        return state == 0 || state >= isConnectedToSite ? .full : .offline
    }

    /// See `NMMetered` in the same reference, which advises to treat a guess like a setting.
    private static func isMetered(_ properties: [String: BusValue]) -> Bool {
        let yes: Int64 = 1, guessedYes: Int64 = 3, metered = properties["Metered"]?.integer
        return metered == yes || metered == guessedYes
    }

    /// See `org.freedesktop.UPower.Device` in the reference of UPower.
    private static func power(_ properties: [String: BusValue], battery: [String: BusValue]) -> Power {
        guard properties["OnBattery"]?.boolean == true else { return .mains }
        let low: Int64 = 3
        // A battery about which UPower warns, or whose charge is not known, counts as empty.
        if let level = battery["WarningLevel"]?.integer, level >= low { return .battery(percent: 0) }
        return .battery(percent: battery["Percentage"]?.number ?? 0)
    }
}
