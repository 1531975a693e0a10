<#
.SYNOPSIS
Makes symcaches of Microsoft's format for a symcached server on another machine.

.DESCRIPTION
Asks the server for a job, downloads its PDB, runs symcachegen.exe in a temporary folder, and uploads the result. Needs
the Windows Performance Toolkit, and no open port. PowerShell 5.1 and later.

.EXAMPLE
$env:SYMCACHED_TOKEN = '...'; .\transcode-worker.ps1 -Server https://symbols.example.com
#>
param(
    [Parameter(Mandatory = $true)] [string] $Server,
    [string] $Token = $env:SYMCACHED_TOKEN,
    [string] $Symcachegen = "${env:ProgramFiles(x86)}\Windows Kits\10\Windows Performance Toolkit\symcachegen.exe",
    [int[]] $Majors = @(3),
    [string] $Name = $env:COMPUTERNAME,
    [int] $TimeoutSeconds = 1800,
    [int] $PauseSeconds = 15,
    [switch] $Once
)
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'  # the bar makes downloads many times slower in 5.1
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
$Server = $Server.TrimEnd('/')
$headers = @{}
if ($Token) { $headers['Authorization'] = "Bearer $Token" }

function Send-Json([string] $Path, $Body) {
    $bytes = [Text.Encoding]::UTF8.GetBytes((ConvertTo-Json $Body -Compress))
    Invoke-WebRequest -UseBasicParsing -Method Post -Uri "$Server$Path" -Headers $headers -Body $bytes `
        -ContentType 'application/json; charset=utf-8'
}

# Runs the tool until it ends, and keeps the lease meanwhile. Returns what went wrong, or nothing.
function Invoke-Symcachegen([string] $Pdb, [string] $Folder, $Lease) {
    $start = New-Object Diagnostics.ProcessStartInfo
    $start.FileName = $Symcachegen
    $start.Arguments = "-pdb `"$Pdb`""
    $start.WorkingDirectory = Split-Path $Symcachegen
    $start.UseShellExecute = $false
    $start.RedirectStandardInput = $true
    $start.RedirectStandardOutput = $true
    $start.RedirectStandardError = $true
    $start.EnvironmentVariables['_NT_SYMCACHE_PATH'] = "$Folder\out"
    $start.EnvironmentVariables['_NT_SYMBOL_PATH'] = "$Folder\symbols"
    $process = [Diagnostics.Process]::Start($start)
    $process.StandardInput.Close()
    $output = $process.StandardOutput.ReadToEndAsync()
    $errors = $process.StandardError.ReadToEndAsync()
    $end = (Get-Date).AddSeconds($TimeoutSeconds)
    try {
        while (-not $process.WaitForExit([Math]::Max(1, [int]($Lease.lease_seconds / 3)) * 1000)) {
            if ((Get-Date) -gt $end) { return "no end after $TimeoutSeconds s" }
            Send-Json "/transcode/lease/$($Lease.lease)/renew" @{} | Out-Null
        }
        $process.WaitForExit()
    } finally {
        if (-not $process.HasExited) { $process.Kill() }
    }
    if ($process.ExitCode -eq 0) { return }
    $text = "exit status $($process.ExitCode): $($output.Result) $($errors.Result)"
    $text.Substring(0, [Math]::Min($text.Length, 4000))
}

function Invoke-Job($Lease) {
    $folder = Join-Path ([IO.Path]::GetTempPath()) "symcached-$([Guid]::NewGuid())"
    $null = 'pdb', 'out', 'symbols' | ForEach-Object { New-Item -ItemType Directory "$folder\$_" }
    try {
        # The name becomes part of a path, so it is no more than a name.
        if ($Lease.pdb_name -ne [IO.Path]::GetFileName($Lease.pdb_name)) { throw "unusable name $($Lease.pdb_name)" }
        $pdb = "$folder\pdb\$($Lease.pdb_name)"
        Invoke-WebRequest -UseBasicParsing -Uri "$Server/transcode/lease/$($Lease.lease)/pdb" -Headers $headers -OutFile $pdb
        $why = Invoke-Symcachegen $pdb $folder $Lease
        $made = @(Get-ChildItem "$folder\out" -Recurse -File -Filter '*.symcache' | Where-Object { $_.Length -gt 0 })
        if (-not $why -and $made.Count -ne 1) { $why = "it wrote $($made.Count) symcaches" }
        if (-not $why) { $version = [regex]::Match($made[0].Name, '-v(\d+\.\d+\.\d+)\.symcache$').Groups[1].Value }
        if (-not $why -and -not $version) { $why = "it wrote $($made[0].Name)" }
        if ($why) {
            Send-Json "/transcode/lease/$($Lease.lease)/fail" @{ why = $why } | Out-Null
            Write-Warning "$($Lease.pdb_name): $why"
            return
        }
        Invoke-WebRequest -UseBasicParsing -Method Put -Uri "$Server/transcode/lease/$($Lease.lease)?version=$version" `
            -Headers $headers -InFile $made[0].FullName -ContentType 'application/vnd.ms-symcache' | Out-Null
        Write-Output "$($Lease.pdb_name): version $version, $($made[0].Length) bytes"
    } finally {
        Remove-Item $folder -Recurse -Force -ErrorAction SilentlyContinue
    }
}

if (-not (Test-Path $Symcachegen)) { throw "$Symcachegen is missing; install the Windows Performance Toolkit" }
do {
    try {
        $answer = Send-Json '/transcode/lease' @{ worker = $Name; majors = $Majors }
        if ($answer.StatusCode -eq 200) { Invoke-Job (ConvertFrom-Json ([Text.Encoding]::UTF8.GetString($answer.RawContentStream.ToArray()))) }
        elseif (-not $Once) { Start-Sleep $PauseSeconds }
    } catch {  # the lease runs out, and the job goes to the next worker
        Write-Warning $_
        if (-not $Once) { Start-Sleep $PauseSeconds }
    }
} while (-not $Once)
